import { showBytes } from '@muster/rules/agents/raw-path'
import { realpath } from 'node:fs/promises'
import { AgentError } from '../../errors.ts'
import { readWindowsPath, showWindowsPath, systemWindowsPath } from './windows-paths.ts'

const SLASH = 0x2f
const MAX_PATH_BYTES = 4095
const MAX_NAME_BYTES = 255
export const isWindows = process.platform === 'win32'

/** Splits a path from the wire into names; on Windows the first is the drive. Refuses `.` and `..`. */
export function readPath(raw: string): Buffer[] {
  const bytes = Buffer.from(raw, 'base64url')
  if (bytes.length > MAX_PATH_BYTES) throw new AgentError('The path is too long.')
  if (isWindows) return readWindowsPath(bytes)
  if (bytes[0] !== SLASH) throw new AgentError('A path must start with "/".')
  return splitPath(bytes).map(checkName)
}

function splitPath(bytes: Buffer): Buffer[] {
  const names: Buffer[] = []
  for (let from = 1; from <= bytes.length;) {
    const at = bytes.indexOf(SLASH, from)
    const end = at === -1 ? bytes.length : at
    if (end > from) names.push(bytes.subarray(from, end))
    from = end + 1
  }
  return names
}

function checkName(name: Buffer): Buffer {
  const text = name.toString('latin1')
  if (text === '.' || text === '..' || name.includes(0) || name.length > MAX_NAME_BYTES)
    throw new AgentError(`"${showBytes(name)}" is not a valid name of a file or folder.`)
  return name
}

/** The path that the system opens. */
export function joinPath(names: readonly Buffer[]): Buffer {
  return isWindows ? systemWindowsPath(names) : showPath(names)
}

/** The path as users know it. */
export function showPath(names: readonly Buffer[]): Buffer {
  if (isWindows) return showWindowsPath(names)
  return names.length === 0
    ? Buffer.from('/')
    : Buffer.concat(names.flatMap((name) => [Buffer.from('/'), name]))
}

export function writePath(names: readonly Buffer[]): string {
  return showPath(names).toString('base64url')
}

/** Follows all links of a path, which must exist. */
export async function resolveLinks(names: readonly Buffer[]): Promise<Buffer[]> {
  if (!isWindows) return splitPath(await realpath(joinPath(names), { encoding: 'buffer' }))
  const { resolveWindowsLinks } = await import('./windows-links.ts')
  return resolveWindowsLinks(names)
}

/** The agent's own folder holds its private key. It can be neither read nor written, by any path. */
export async function refusePrivate(names: readonly Buffer[], dataFolder: string): Promise<void> {
  if (await isPrivate(names, dataFolder))
    throw new AgentError("This is the agent's own folder, which is not accessible.")
}

export async function isPrivate(names: readonly Buffer[], dataFolder: string): Promise<boolean> {
  return isWithin(names, await readFolder(dataFolder))
}

/** Parent folders of the agent's own folder can be neither moved nor deleted. */
export async function refuseAround(names: readonly Buffer[], dataFolder: string): Promise<void> {
  if (isWithin(await readFolder(dataFolder), names))
    throw new AgentError("It contains the agent's own folder.")
}

async function readFolder(dataFolder: string): Promise<Buffer[]> {
  const path = await realpath(dataFolder, { encoding: 'buffer' })
  return isWindows ? readWindowsPath(path) : splitPath(path)
}

function isWithin(names: readonly Buffer[], folder: readonly Buffer[]): boolean {
  return folder.every((name, at) => isSameName(name, names[at]))
}

function isSameName(one: Buffer, other: Buffer | undefined): boolean {
  if (other === undefined) return false
  return one.equals(other) || (isWindows && one.toString().toLowerCase() === other.toString().toLowerCase())
}
