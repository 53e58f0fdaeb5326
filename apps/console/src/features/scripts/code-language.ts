import { javascript } from '@codemirror/lang-javascript'
import { python } from '@codemirror/lang-python'
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { powerShell } from '@codemirror/legacy-modes/mode/powershell'
import { shell as shellMode } from '@codemirror/legacy-modes/mode/shell'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import type { ScriptShell } from '@muster/contract/api/scripts'
import { tags } from '@lezer/highlight'

/** Highlighting for what a script is written in; none for what has no mode. */
export function codeLanguage(shell: ScriptShell): Extension {
  switch (shell) {
    case 'python':
      return python()
    case 'node':
    case 'deno':
      return javascript({ typescript: true })
    case 'powershell':
      return StreamLanguage.define(powerShell)
    case 'shell':
    case 'nushell':
      return StreamLanguage.define(shellMode)
    case 'cmd':
      return []
  }
}

/** Colours are the theme's, so that dark and light follow by themselves. */
export const EDITOR_THEME: Extension = [
  EditorView.theme({
    '&': { height: '100%', backgroundColor: 'var(--m-surface)', color: 'var(--m-text)', fontSize: '12px' },
    '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '1.6' },
    '.cm-gutters': {
      backgroundColor: 'var(--m-surface)',
      color: 'var(--m-dim)',
      borderRight: '1px solid var(--m-line)',
    },
    '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--m-raised)' },
    '.cm-cursor': { borderLeftColor: 'var(--m-accent)' },
    '&.cm-focused': { outline: '2px solid var(--m-accent)', outlineOffset: '-2px' },
    '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
      backgroundColor: 'color-mix(in srgb, var(--m-accent) 30%, transparent)',
    },
    '.cm-panels': { backgroundColor: 'var(--m-raised)', color: 'var(--m-text)' },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword], color: 'var(--m-accent)' },
      { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--m-positive)' },
      { tag: [tags.comment, tags.meta], color: 'var(--m-dim)', fontStyle: 'italic' },
      { tag: [tags.number, tags.bool, tags.null], color: 'var(--m-warning)' },
      { tag: [tags.variableName, tags.definition(tags.variableName)], color: 'var(--m-info)' },
    ]),
  ),
]
