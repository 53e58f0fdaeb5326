import { Compartment, EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import type { ScriptShell } from '@muster/contract/api/scripts'
import { basicSetup } from 'codemirror'
import { useEffect, useEffectEvent, useRef } from 'react'
import { EDITOR_THEME, codeLanguage } from './code-language.ts'

export interface CodeEditorProps {
  value: string
  shell: ScriptShell
  label: string
  readOnly: boolean
  onChange: (value: string) => void
}

/** The code of a script. Tab leaves the field, as everywhere. */
export function CodeEditor({ value, shell, label, readOnly, onChange }: CodeEditorProps) {
  const parent = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const language = useRef(new Compartment())
  const changed = useEffectEvent(onChange)
  const start = useEffectEvent((element: HTMLElement) => {
    return new EditorView({
      parent: element,
      state: EditorState.create({
        doc: value,
        extensions: [
          basicSetup,
          language.current.of(codeLanguage(shell)),
          EDITOR_THEME,
          EditorState.readOnly.of(readOnly),
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed(update.state.doc.toString())
          }),
        ],
      }),
    })
  })
  useEffect(() => {
    if (parent.current === null) return undefined
    const editor = start(parent.current)
    view.current = editor
    return () => editor.destroy()
  }, [])
  useEffect(() => {
    view.current?.dispatch({ effects: language.current.reconfigure(codeLanguage(shell)) })
  }, [shell])
  useEffect(() => {
    const editor = view.current
    // Typed text comes back as the value; only another one (a file was read) replaces the document.
    if (editor === null || editor.state.doc.toString() === value) return
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
  }, [value])
  return <div ref={parent} style={{ height: '100%', minHeight: 0 }} />
}
