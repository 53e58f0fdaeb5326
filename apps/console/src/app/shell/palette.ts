import type { Icon } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { createStore, useStore } from '../session/store.ts'

/** An entry of the command palette. */
export interface PaletteEntry {
  id: string
  group: string
  label: string
  icon?: Icon | undefined
  /** Dim text beside it: client and site of a machine, a shortcut. */
  hint?: string | undefined
  /** More words that match this entry. */
  words?: string
  run: () => void
  /** The action of Alt+Enter. */
  alternative?: { label: string; run: () => void }
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

/**
 * Adds a source while the component is mounted: the actions of the selected machine, for example. An open palette searches
 * again when `basis`, on which the entries depend, changes: a right that has loaded, for example.
 */
export function usePaletteSource(
  id: string,
  basis: boolean | string,
  find: PaletteSource['find'],
  { isFirst = false }: { isFirst?: boolean } = {},
): void {
  const latest = useRef(find)
  useEffect(() => {
    latest.current = find
  })
  useEffect(() => {
    const source: PaletteSource = { id, find: (text, signal) => latest.current(text, signal) }
    sources.set(isFirst ? [source, ...sources.get()] : [...sources.get(), source])
    return () => sources.set(sources.get().filter((other) => other.id !== id))
  }, [id, isFirst])
  useEffect(() => {
    sources.set(sources.get().map((source) => (source.id === id ? { ...source } : source)))
  }, [id, basis])
}

interface PaletteMachine {
  agent_id: string
  hostname: string
}

let machine: PaletteMachine | undefined

/** The machine on which the palette runs scripts. */
export const paletteMachine = (): PaletteMachine | undefined => machine

/** Names the machine that the page shows while the component is mounted. */
export function usePaletteMachine(shown: PaletteMachine | undefined): void {
  useEffect(() => {
    machine = shown
    return () => {
      if (machine === shown) machine = undefined
    }
  }, [shown])
}

export const usePaletteSources = (): readonly PaletteSource[] => useStore(sources, (list) => list)
export const usePaletteOpened = (): boolean => useStore(opened, (value) => value)
export const openPalette = (): void => opened.set(true)
export const closePalette = (): void => opened.set(false)

/** Best matches first: all words must occur. The label that is the text comes first, then labels that start with it. */
export function rankEntries(entries: readonly PaletteEntry[], text: string): PaletteEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return [...entries]
  return entries
    .map((entry) => ({ entry, rank: isNamed(entry, text) ? -1 : rankOf(entry, words) }))
    .filter(({ rank }) => rank !== undefined)
    .toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .map(({ entry }) => entry)
}

const isNamed = ({ label }: PaletteEntry, text: string) => label.toLowerCase() === text.trim().toLowerCase()

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
