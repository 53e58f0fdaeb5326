import { Compartment, EditorState } from '@codemirror/state'
import { indentWithTab } from '@codemirror/commands'
import { EditorView, keymap } from '@codemirror/view'
import { useComputedColorScheme } from '@mantine/core'
import type { ScriptShell } from '@muster/contract/api/scripts'
import { basicSetup } from 'codemirror'
import { useEffect, useRef, useState } from 'react'
import classes from './CodeEditor.module.css'
import { loadLanguage } from './code-language.ts'
import { codeTheme } from './code-theme.ts'

interface CodeEditorProps {
  /** What it begins with; later the editor has its own text. Give it a new `key` to begin anew. */
  start: string
  onChange: (code: string) => void
  shell: ScriptShell
  readOnly: boolean
  /** The dialog around it begins here. */
  first?: boolean
}

/** Code with line numbers and colours. Tab indents; Escape and then Tab leaves it. */
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
    if (place.current === null) return undefined
    const editor = new EditorView({
      parent: place.current,
      doc: start,
      extensions: [
        basicSetup,
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
          if (update.docChanged) changed.current(update.state.doc.toString())
        }),
      ],
    })
    view.current = editor
    return () => {
      view.current = null
      editor.destroy()
    }
    // The text that it starts with is read once; a new key makes a new editor.
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

/** Code that may only be read is still reached and scrolled by the keyboard. */
const FOCUSABLE = EditorView.contentAttributes.of({ tabindex: '0' })
