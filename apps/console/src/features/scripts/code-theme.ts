import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** The editor in the console's own colours, which are CSS variables: they follow the scheme by themselves. */
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

/** Readable on the active line as well: the plain colours come to less than 4.5:1 there in light mode. */
function legible(name: 'accent' | 'positive' | 'warning' | 'info' | 'negative'): string {
  return `color-mix(in srgb, var(--m-${name}) 78%, var(--m-text))`
}
