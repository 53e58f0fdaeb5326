import type { ScriptShell } from '@muster/contract/api/scripts'

export const LONGEST_CODE = 1_000_000

const SHELL_BY_ENDING: Record<string, ScriptShell> = {
  ps1: 'powershell',
  bat: 'cmd',
  cmd: 'cmd',
  py: 'python',
  sh: 'shell',
  bash: 'shell',
  nu: 'nushell',
  ts: 'deno',
  js: 'node',
  mjs: 'node',
  cjs: 'node',
}

/** The shell that a file's ending speaks of. */
export function shellOfFile(filename: string): ScriptShell | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(SHELL_BY_ENDING, ending) ? SHELL_BY_ENDING[ending] : undefined
}

/**
 * A file's bytes as text: by its mark where it has one, else UTF-8, else the western code page that old Windows
 * editors wrote. Undefined for what is no text.
 */
export function decodeFile(bytes: Uint8Array): string | undefined {
  const text = decodeBytes(bytes)
  return text.includes('\0') ? undefined : text
}

function decodeBytes(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** The editor knows one line end; the code keeps the one that it came with. */
export function withLineEndsOf(text: string, original: string): string {
  return original.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text
}

/** Equal but for line ends. */
export const isSameCode = (a: string, b: string): boolean =>
  a === b || a.replaceAll('\r\n', '\n') === b.replaceAll('\r\n', '\n')

/** What one should know of code whose first line names no interpreter; undefined when there is nothing to say. */
export function interpreterWarning(shell: ScriptShell, code: string): string | undefined {
  if (code.trim() === '' || code.startsWith('#!')) return undefined
  if (shell === 'shell')
    return 'The first line has no #! with an interpreter: bash runs it, or sh where there is no bash.'
  if (shell === 'python')
    return 'The first line has no #! with an interpreter: the machine runs it with its own python3.'
  return undefined
}
