import type { ScriptShell } from '@muster/contract/api/scripts'

export const MAX_CODE_LENGTH = 1_000_000

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

/** The shell of a file extension. */
export function shellOfFile(filename: string): ScriptShell | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(SHELL_BY_ENDING, ending) ? SHELL_BY_ENDING[ending] : undefined
}

/**
 * A file's bytes as text: by its byte order mark, else UTF-8, else the Western code page of old Windows editors. Undefined
 * if it is no text.
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

/** A warning about code whose first line names no interpreter; undefined without one. */
export function interpreterWarning(shell: ScriptShell, code: string): string | undefined {
  if (code.trim() === '' || code.startsWith('#!')) return undefined
  if (shell === 'shell') return 'No #! line: runs with bash, or sh without bash.'
  if (shell === 'python') return 'No #! line: runs with python3 of the machine.'
  return undefined
}
