import type { ScriptShell } from '@muster/contract/api/scripts'
import type { Platform } from '@muster/contract/fields'
import { platformName } from '@muster/rules/agents/available-actions'

export const SHELL_LABELS: Record<ScriptShell, string> = {
  powershell: 'PowerShell',
  cmd: 'Batch (cmd)',
  python: 'Python',
  shell: 'Shell',
  nushell: 'Nushell',
  deno: 'Deno',
  node: 'Node.js',
}

export const PLATFORMS: readonly Platform[] = ['windows', 'linux', 'darwin']

/** `Windows, Linux`; an empty list means all. */
export const platformsLabel = (platforms: readonly string[]): string =>
  platforms.length === 0 ? 'all' : platforms.map(platformName).join(', ')
