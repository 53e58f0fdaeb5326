import { useEffect, useState } from 'react'
import { type PaletteEntry, type PaletteSource, rankEntries, usePaletteSources } from './palette.ts'

/** A key press does not ask the server at once; fast typists would ask for every letter. */
const PAUSE_MS = 80
const SHOWN_PER_GROUP = 12

/** What the sources find for a text, best first within each group; what arrives late is added. */
export function useFoundEntries(text: string): { entries: PaletteEntry[]; searching: boolean } {
  const sources = usePaletteSources()
  const [found, setFound] = useState<ReadonlyMap<string, readonly PaletteEntry[]>>(new Map())
  const [searching, setSearching] = useState(false)
  const wanted = text.trim()
  useEffect(() => {
    const cancelled = new AbortController()
    const { signal } = cancelled
    const timer = setTimeout(
      () => {
        setSearching(true)
        const asked = sources.map(async (source) => {
          const entries = await findQuietly(source, wanted, signal)
          if (!signal.aborted) setFound((old) => new Map(old).set(source.id, entries))
        })
        void Promise.all(asked).then(() => !signal.aborted && setSearching(false))
      },
      wanted === '' ? 0 : PAUSE_MS,
    )
    return () => {
      clearTimeout(timer)
      cancelled.abort()
    }
  }, [sources, wanted])
  return { entries: group(rankEntries([...found.values()].flat(), wanted)), searching }
}

/** What a source cannot find is absent: the palette goes on with what the others found. */
async function findQuietly(
  source: PaletteSource,
  text: string,
  signal: AbortSignal,
): Promise<readonly PaletteEntry[]> {
  try {
    return await source.find(text, signal)
  } catch {
    return []
  }
}

/** Entries of a group stand together, in the order in which the groups' best entries came. */
function group(entries: readonly PaletteEntry[]): PaletteEntry[] {
  return [...Map.groupBy(entries, (entry) => entry.group).values()].flatMap((list) =>
    list.slice(0, SHOWN_PER_GROUP),
  )
}
