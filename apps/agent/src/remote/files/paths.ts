import { showBytes } from '@muster/rules/agents/raw-path'
import { MachineRefused } from '../../os/machine-refused.ts'

const SLASH = 0x2f
const MOST_PATH_BYTES = 4095
const MOST_NAME_BYTES = 255

/** Splits a path from the wire into names. Refuses `.` and `..`. */
export function readPath(raw: string): Buffer[] {
  if (process.platform === 'win32')
    throw new MachineRefused('Files on Windows machines are not supported yet.')
  const bytes = Buffer.from(raw, 'base64url')
  if (bytes[0] !== SLASH) throw new MachineRefused('A path must start with "/".')
  if (bytes.length > MOST_PATH_BYTES) throw new MachineRefused('The path is too long.')
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
  if (text === '.' || text === '..' || name.includes(0) || name.length > MOST_NAME_BYTES)
    throw new MachineRefused(`"${showBytes(name)}" is not a valid name of a file or folder.`)
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
