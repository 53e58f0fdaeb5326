import { type Chunk, getChunks, unifiedMergeView } from '@codemirror/merge'
import { EditorState, Text } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useMemo, useRef } from 'react'
import { codeTheme } from './CodeEditor.tsx'
import classes from './Versions.module.css'

/** Signs as well as colours, so that the diff is readable without colours. */
const diffTheme = EditorView.theme({
  '.cm-line, .cm-deletedLine': { position: 'relative', paddingLeft: '24px' },
  '&.cm-merge-b .cm-changedLine': {
    backgroundColor: 'color-mix(in srgb, var(--m-positive) 14%, transparent)',
  },
  '.cm-deletedChunk': {
    paddingLeft: 0,
    backgroundColor: 'color-mix(in srgb, var(--m-negative) 14%, transparent)',
  },
  '.cm-changedLine::before, .cm-deletedLine::before': { position: 'absolute', left: '8px' },
  '.cm-changedLine::before': { content: '"+"' },
  '.cm-deletedLine::before': { content: '"−"' },
})

interface CodeDiffProps {
  before: string
  after: string
  /** Text above the code, by the number of differing lines. */
  summary: (changed: number) => string
}

/** Two versions of a script's code, line by line: removed and added lines are `<del>` and `<ins>`. */
export function CodeDiff({ before, after, summary }: CodeDiffProps) {
  const parent = useRef<HTMLDivElement>(null)
  const dark = useComputedColorScheme('dark') === 'dark'
  const { state, changed } = useMemo(() => compareCode(before, after, dark), [before, after, dark])
  useEffect(() => {
    if (parent.current === null) return undefined
    const view = new EditorView({ state, parent: parent.current })
    return () => view.destroy()
  }, [state])
  return (
    <>
      <p className={classes.summary} role="status">
        {summary(changed)}
      </p>
      <div ref={parent} className={classes.code} />
    </>
  )
}

function compareCode(before: string, after: string, dark: boolean) {
  const original = textOf(before)
  const state = EditorState.create({
    doc: textOf(after),
    extensions: [
      codeTheme,
      diffTheme,
      EditorView.darkTheme.of(dark),
      lineNumbers(),
      unifiedMergeView({ original, mergeControls: false, gutter: false }),
      EditorView.lineWrapping,
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      EditorView.contentAttributes.of({ 'aria-label': 'Code, old and new', tabindex: '0' }),
    ],
  })
  const chunks = getChunks(state)?.chunks ?? []
  const counts = chunks.map((chunk) => countLines(chunk, original, state.doc))
  return { state, changed: counts.reduce((sum, count) => sum + count, 0) }
}

/**
 * Windows line endings count as equal. Each text gets a final line ending; without it, appending a line would also change
 * the last one.
 */
function textOf(code: string): Text {
  return Text.of(code === '' ? [''] : [...code.split(/\r?\n/), ''])
}

/** Removed and added lines. */
function countLines({ fromA, toA, endA, fromB, toB, endB }: Chunk, before: Text, after: Text): number {
  const linesIn = (text: Text, from: number, end: number) =>
    text.lineAt(end).number - text.lineAt(from).number + 1
  return (
    (fromA === toA ? 0 : linesIn(before, fromA, endA)) + (fromB === toB ? 0 : linesIn(after, fromB, endB))
  )
}
