import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { indentWithTab } from '@codemirror/commands'
import { EditorView, keymap } from '@codemirror/view'
import { useComputedColorScheme } from '@mantine/core'
import type { ScriptShell } from '@muster/contract/api/scripts'
import { basicSetup } from 'codemirror'
import { useEffect, useRef, useState } from 'react'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { tags } from '@lezer/highlight'
import classes from './CodeEditor.module.css'

/** The editor in the console's own colours, which are CSS variables and follow the scheme. */
export const codeTheme: Extension = [
  EditorView.theme({
    '&': { height: '100%', color: 'var(--m-text)', backgroundColor: 'var(--m-page)' },
    '&.cm-focused': { outline: 'none' },
    '.cm-scroller': {
      fontFamily: 'var(--mantine-font-family-monospace)',
      fontSize: '12px',
      fontVariantLigatures: 'none',
      lineHeight: '1.6',
    },
    '.cm-content': { padding: '8px 0', caretColor: 'var(--m-accent)' },
    '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--m-accent)' },
    '.cm-gutters': {
      color: 'var(--m-dim)',
      backgroundColor: 'var(--m-page)',
      borderRight: '1px solid var(--m-line)',
    },
    '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--m-hover) 55%, transparent)' },
    '.cm-activeLineGutter': { color: 'var(--m-text)', backgroundColor: 'var(--m-hover)' },
    '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
      background: 'color-mix(in srgb, var(--m-accent) 28%, transparent)',
    },
    '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--m-accent) 16%, transparent)' },
    '&.cm-focused .cm-matchingBracket': {
      backgroundColor: 'color-mix(in srgb, var(--m-accent) 26%, transparent)',
    },
    '&.cm-focused .cm-nonmatchingBracket': {
      backgroundColor: 'color-mix(in srgb, var(--m-negative) 26%, transparent)',
    },
    '.cm-foldPlaceholder': {
      color: 'var(--m-dim)',
      backgroundColor: 'var(--m-hover)',
      border: '1px solid var(--m-line)',
    },
    '.cm-specialChar': { color: 'var(--m-negative)' },
    '.cm-panels': { color: 'var(--m-text)', backgroundColor: 'var(--m-surface)' },
    '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--m-line)' },
    '.cm-panel.cm-search': { fontSize: '12px', padding: '8px' },
    '.cm-panel.cm-search [name=close]': { color: 'var(--m-text)' },
    '.cm-textfield': {
      color: 'var(--m-text)',
      backgroundColor: 'var(--m-page)',
      border: '1px solid var(--m-control)',
      borderRadius: '4px',
    },
    '.cm-button': {
      color: 'var(--m-text)',
      backgroundColor: 'var(--m-raised)',
      backgroundImage: 'none',
      border: '1px solid var(--m-line)',
      borderRadius: '4px',
    },
    '.cm-searchMatch': { backgroundColor: 'color-mix(in srgb, var(--m-warning) 26%, transparent)' },
    '.cm-searchMatch.cm-searchMatch-selected': {
      backgroundColor: 'color-mix(in srgb, var(--m-warning) 50%, transparent)',
    },
    '.cm-tooltip': {
      color: 'var(--m-text)',
      backgroundColor: 'var(--m-raised)',
      border: '1px solid var(--m-line)',
      borderRadius: '6px',
      boxShadow: 'var(--m-shadow)',
    },
    '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
      color: 'var(--m-text)',
      backgroundColor: 'var(--m-selected)',
    },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: [tags.keyword, tags.controlKeyword, tags.definitionKeyword], color: legible('accent') },
      { tag: [tags.string, tags.special(tags.string), tags.regexp], color: legible('positive') },
      { tag: [tags.number, tags.bool, tags.null, tags.atom], color: legible('warning') },
      { tag: tags.comment, color: 'var(--m-dim)', fontStyle: 'italic' },
      { tag: [tags.meta, tags.processingInstruction], color: 'var(--m-dim)' },
      {
        tag: [tags.typeName, tags.className, tags.namespace, tags.standard(tags.name)],
        color: legible('info'),
      },
      { tag: [tags.function(tags.variableName), tags.attributeName], color: legible('info') },
      { tag: tags.invalid, color: legible('negative') },
    ]),
  ),
]

/** Readable on the active line as well: the plain colours have less than 4.5:1 there in light mode. */
function legible(name: 'accent' | 'positive' | 'warning' | 'info' | 'negative'): string {
  return `color-mix(in srgb, var(--m-${name}) 78%, var(--m-text))`
}

interface CodeEditorProps {
  /** Initial text; later the editor has its own. A new `key` restarts it. */
  start: string
  onChange: (code: string) => void
  shell: ScriptShell
  readOnly: boolean
  /** Takes the initial focus of its dialog. */
  first?: boolean
}

/**
 * Code with line numbers and colours. Tab indents; Escape, then Tab, leaves it. Line ends stay as they are; new lines end
 * as all others do, or with LF.
 */
export function CodeEditor({ start, onChange, shell, readOnly, first = false }: CodeEditorProps) {
  const place = useRef<HTMLDivElement>(null)
  const changed = useRef(onChange)
  useEffect(() => {
    changed.current = onChange
  })
  const dark = useComputedColorScheme('dark') === 'dark'
  const [parts] = useState(() => ({
    language: new Compartment(),
    scheme: new Compartment(),
    access: new Compartment(),
    focus: first ? { 'data-autofocus': 'true' } : {},
  }))
  const view = useRef<EditorView>(null)
  useEffect(() => {
    const isWindows = start.includes('\r\n') && !OTHER_LINE_END.test(start)
    if (place.current === null) return undefined
    const editor = new EditorView({
      parent: place.current,
      doc: start,
      extensions: [
        basicSetup,
        // Otherwise every kind of line end would become the same one, also in lines that nobody edits.
        isWindows ? [] : EditorState.lineSeparator.of('\n'),
        EditorView.clipboardInputFilter.of((text) => text.replaceAll('\r\n', '\n')),
        keymap.of([indentWithTab]),
        codeTheme,
        parts.language.of([]),
        parts.scheme.of([]),
        parts.access.of([]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          'aria-label': 'Code',
          ...parts.focus,
          // Escape belongs to the editor: it closes its search, and must not close the dialog.
          'data-mantine-stop-propagation': 'true',
        }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return
          const code = update.state.doc.toString()
          changed.current(isWindows ? code.replaceAll('\n', '\r\n') : code)
        }),
      ],
    })
    view.current = editor
    return () => {
      view.current = null
      editor.destroy()
    }
    // The initial text is read once; a new key makes a new editor.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [parts])
  useEffect(() => {
    view.current?.dispatch({ effects: parts.scheme.reconfigure(EditorView.darkTheme.of(dark)) })
  }, [parts, dark])
  useEffect(() => {
    const access = readOnly ? [EditorState.readOnly.of(true), EditorView.editable.of(false), FOCUSABLE] : []
    view.current?.dispatch({ effects: parts.access.reconfigure(access) })
  }, [parts, readOnly])
  useEffect(() => {
    let isWanted = true
    void loadLanguage(shell).then((language) => {
      if (isWanted) view.current?.dispatch({ effects: parts.language.reconfigure(language) })
    })
    return () => {
      isWanted = false
    }
  }, [parts, shell])
  return <div ref={place} className={classes.editor} />
}

/** A line end that is not CR LF. */
const OTHER_LINE_END = /(?<!\r)\n|\r(?!\n)/

/** Read-only code can be focused and scrolled by the keyboard. */
const FOCUSABLE = EditorView.contentAttributes.of({ tabindex: '0' })

/** Syntax colours of a shell, loaded on demand; none for shells without. */
async function loadLanguage(shell: ScriptShell): Promise<Extension> {
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
