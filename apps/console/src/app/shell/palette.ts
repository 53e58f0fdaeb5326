import { useEffect, useRef } from 'react'
import { createStore, useStore } from '../session/store.ts'

/** An entry of the command palette. */
export interface PaletteEntry {
  id: string
  group: string
  label: string
  /** Dim text beside it: client and site of a machine, a shortcut. */
  hint?: string | undefined
  /** More words that match this entry. */
  words?: string
  run: () => void
}

/**
 * Returns entries that match the text; called at each key press. Sources with everything in memory return all they have
 * and leave the choice to the palette; sources that ask the server return its results.
 */
export interface PaletteSource {
  id: string
  find: (text: string, signal: AbortSignal) => readonly PaletteEntry[] | Promise<readonly PaletteEntry[]>
}

const sources = createStore<readonly PaletteSource[]>([])
const opened = createStore(false)

/** Adds a source while the component is mounted: the actions of the selected machine, for example. */
export function usePaletteSource(id: string, find: PaletteSource['find']): void {
  const latest = useRef(find)
  useEffect(() => {
    latest.current = find
  })
  useEffect(() => {
    const source: PaletteSource = { id, find: (text, signal) => latest.current(text, signal) }
    sources.set([...sources.get(), source])
    return () => sources.set(sources.get().filter((other) => other !== source))
  }, [id])
}

export const usePaletteSources = (): readonly PaletteSource[] => useStore(sources, (list) => list)
export const usePaletteOpened = (): boolean => useStore(opened, (value) => value)
export const openPalette = (): void => opened.set(true)
export const closePalette = (): void => opened.set(false)

/** Best matches first: all words must occur, labels that start with the text come before others. */
export function rankEntries(entries: readonly PaletteEntry[], text: string): PaletteEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return [...entries]
  return entries
    .map((entry) => ({ entry, rank: rankOf(entry, words) }))
    .filter(({ rank }) => rank !== undefined)
    .toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .map(({ entry }) => entry)
}

function rankOf(
  { label, hint = '', words: more = '' }: PaletteEntry,
  words: readonly string[],
): number | undefined {
  const name = label.toLowerCase()
  const all = `${name} ${hint.toLowerCase()} ${more.toLowerCase()}`
  if (!words.every((word) => all.includes(word))) return undefined
  const [first = ''] = words
  if (name.startsWith(first)) return 0
  return name.includes(first) ? 1 : 2
}
