import { isWindowsPath, showBytes } from '@muster/rules/agents/raw-path'
import { AgentError } from '../../errors.ts'

/** Win32 accepts longer names nowhere: 255 UTF-16 units. */
const MAX_NAME_UNITS = 255
/** `/` and `\` separate names, and `:` begins a stream of a file. No file system of Windows has the others. */
const FORBIDDEN = /[<>:"/\\|?*\p{Cc}]/u
/** Devices, with any extension. Source: Microsoft, "Naming Files, Paths, and Namespaces". */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d\u00b9\u00b2\u00b3])\s*(?:\.|$)/i

/** Splits a path into a drive, `C:`, and names. `/` is the list of drives: no names. */
export function readWindowsPath(bytes: Buffer): Buffer[] {
  const path = bytes.toString()
  if (path === '/') return []
  if (/^[\\/]{2}/.test(path))
    throw new AgentError('Network paths are not opened: the agent would sign in there as this machine.')
  if (!isWindowsPath(path)) throw new AgentError('A path must start with a drive, such as C:\\.')
  const names = splitNames(bytes.subarray(3)).map(checkExisting)
  return [Buffer.from(path.slice(0, 2).toUpperCase()), ...names]
}

/** Bytes, because a name may contain halves of characters. */
function splitNames(bytes: Buffer): Buffer[] {
  const names: Buffer[] = []
  let from = 0
  for (let at = 0; at <= bytes.length; at += 1) {
    if (at < bytes.length && bytes[at] !== 0x5c && bytes[at] !== 0x2f) continue
    if (at > from) names.push(bytes.subarray(from, at))
    from = at + 1
  }
  return names
}

/** Names that Windows itself would change are accepted, so that they can be renamed and deleted. */
function checkExisting(name: Buffer): Buffer {
  const text = name.toString()
  if (text === '.' || text === '..' || FORBIDDEN.test(text) || text.length > MAX_NAME_UNITS)
    throw new AgentError(`"${showBytes(name)}" is not a valid name of a file or folder.`)
  return name
}

/** Throws AgentError for a name that other programs could not open. */
export function refuseUnusableName(name: Buffer): void {
  const text = name.toString()
  if (RESERVED.test(text))
    throw new AgentError(`Windows reserves the name "${showBytes(name)}" for a device.`)
  if (/[. ]$/.test(text)) throw new AgentError('On Windows a name cannot end with a dot or a space.')
}

/** With the prefix `\\?\`: without the limit of 260 characters, and names are taken literally. */
export function systemWindowsPath(names: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('\\\\?\\'), showWindowsPath(names)])
}

export function showWindowsPath([drive, ...names]: readonly Buffer[]): Buffer {
  if (drive === undefined) return Buffer.from('/')
  const separator = Buffer.from('\\')
  const below = names.length === 0 ? [separator] : names.flatMap((name) => [separator, name])
  return Buffer.concat([drive, ...below])
}
