import { useState } from 'react'

/**
 * Rows in the order in which the user reads them: while the pointer or the focus is in the list, a row stays where it
 * is, and new ones follow at the end. `changes` counts the rows that sorting would move.
 */
export function useKeptOrder<Row>(sorted: readonly Row[], keyOf: (row: Row) => string, list: string) {
  const [isPointed, setIsPointed] = useState(false)
  const [isFocused, setIsFocused] = useState(false)
  const keys = sorted.map(keyOf)
  const [kept, setKept] = useState({ list, keys })
  const isReading = kept.list === list && (isPointed || isFocused)
  const isNew = kept.list !== list || keys.join('\n') !== kept.keys.join('\n')
  // An empty list has no order to keep: it has just been loaded, or was all resolved.
  if (isNew && (!isReading || kept.keys.length === 0)) setKept({ list, keys })
  const rows = isReading ? keepOrder(sorted, kept.keys, keyOf) : sorted
  const changes = isReading ? countMoves(rows.map(keyOf), keys) : 0
  return {
    rows,
    changes,
    sortAgain: () => setKept({ list, keys }),
    /** For the element around the rows. */
    reading: {
      onPointerEnter: () => setIsPointed(true),
      onPointerLeave: () => setIsPointed(false),
      onFocus: () => setIsFocused(true),
      onBlur: (event: { currentTarget: Element; relatedTarget: EventTarget | null }) =>
        setIsFocused(event.currentTarget.contains(asNode(event.relatedTarget))),
    },
  }
}

export type KeptOrder<Row> = ReturnType<typeof useKeptOrder<Row>>

const asNode = (target: EventTarget | null) => (target instanceof Node ? target : null)

/** The rows in the order of these keys; others follow as they are sorted. */
export function keepOrder<Row>(
  sorted: readonly Row[],
  keys: readonly string[],
  keyOf: (row: Row) => string,
): Row[] {
  const places = new Map(keys.map((key, index) => [key, index]))
  const placeOf = (row: Row) => places.get(keyOf(row)) ?? keys.length
  return sorted.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** How many keys leave their place when `from` becomes `to`: all but the longest part that is in order already. */
export function countMoves(from: readonly string[], to: readonly string[]): number {
  const places = new Map(to.map((key, index) => [key, index]))
  // The smallest end of an ordered part, by its length.
  const ends: number[] = []
  for (const key of from) {
    const place = places.get(key) ?? 0
    const at = ends.findIndex((end) => end > place)
    ends[at === -1 ? ends.length : at] = place
  }
  return from.length - ends.length
}
