import { showBytes } from '@muster/rules/agents/raw-path'
import { realpath } from 'node:fs/promises'
import { AgentError } from '../../errors.ts'

const SLASH = 0x2f
const MAX_PATH_BYTES = 4095
const MAX_NAME_BYTES = 255

/** Splits a path from the wire into names. Refuses `.` and `..`. */
export function readPath(raw: string): Buffer[] {
  if (process.platform === 'win32') throw new AgentError('Files on Windows machines are not supported yet.')
  const bytes = Buffer.from(raw, 'base64url')
  if (bytes[0] !== SLASH) throw new AgentError('A path must start with "/".')
  if (bytes.length > MAX_PATH_BYTES) throw new AgentError('The path is too long.')
  const names: Buffer[] = []
  for (let from = 1; from <= bytes.length;) {
    const at = bytes.indexOf(SLASH, from)
    const end = at === -1 ? bytes.length : at
    if (end > from) names.push(checkName(bytes.subarray(from, end)))
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

export function joinPath(names: readonly Buffer[]): Buffer {
  return names.length === 0
    ? Buffer.from('/')
    : Buffer.concat(names.flatMap((name) => [Buffer.from('/'), name]))
}

export function writePath(path: Buffer): string {
  return path.toString('base64url')
}

/** The agent's own folder holds its private key. It can be neither read nor written, by any path. */
export async function refusePrivate(path: Buffer, dataFolder: string): Promise<void> {
  if (isWithin(path, await realpath(dataFolder, { encoding: 'buffer' })))
    throw new AgentError("This is the agent's own folder, which is not accessible.")
}

/** Parent folders of the agent's own folder can be neither moved nor deleted. */
export async function refuseAround(path: Buffer, dataFolder: string): Promise<void> {
  if (isWithin(await realpath(dataFolder, { encoding: 'buffer' }), path))
    throw new AgentError("It contains the agent's own folder.")
}

function isWithin(path: Buffer, folder: Buffer): boolean {
  return path.subarray(0, folder.length).equals(folder) && [undefined, 0x2f].includes(path[folder.length])
}
