import type { Extension } from '@codemirror/state'
import type { ScriptShell } from '@muster/contract/api/scripts'

/** The colouring of a shell's code, loaded when it is first wanted; nothing for what has none. */
export async function loadLanguage(shell: ScriptShell): Promise<Extension> {
  switch (shell) {
    case 'python': {
      const { python } = await import('@codemirror/lang-python')
      return python()
    }
    case 'node':
    case 'deno': {
      const { javascript } = await import('@codemirror/lang-javascript')
      return javascript({ typescript: shell === 'deno' })
    }
    case 'powershell': {
      const [{ StreamLanguage }, { powerShell }] = await Promise.all([
        import('@codemirror/language'),
        import('@codemirror/legacy-modes/mode/powershell'),
      ])
      return StreamLanguage.define(powerShell)
    }
    case 'shell':
    case 'nushell': {
      const [{ StreamLanguage }, { shell: posix }] = await Promise.all([
        import('@codemirror/language'),
        import('@codemirror/legacy-modes/mode/shell'),
      ])
      return StreamLanguage.define(posix)
    }
    case 'cmd':
      return []
  }
}
