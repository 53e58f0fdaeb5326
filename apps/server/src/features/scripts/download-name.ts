import type { ScriptShell } from '@muster/contract/api/scripts'

const EXTENSIONS: Record<ScriptShell, string> = {
  powershell: '.ps1',
  cmd: '.bat',
  python: '.py',
  shell: '.sh',
  nushell: '.nu',
  deno: '.ts',
  node: '.mjs',
}

/** A name under which the script can be saved on any system: its own file name, else its name, with the usual ending. */
export function downloadName(script: { filename: string; name: string; shell: ScriptShell }): string {
  const own = safeName(script.filename)
  if (own !== '') return own
  return (safeName(script.name) || 'script') + EXTENSIONS[script.shell]
}

/** Without what file systems refuse, what leads to another folder, and what turns the reading direction. */
function safeName(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\\/:*?"<>|]/gu, '_')
    .replaceAll(/^[\s.]+|[\s.]+$/g, '')
    .slice(0, 200)
}
