import { type RefObject, useCallback, useLayoutEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { useDrawn } from '../layout/use-drawn.ts'

interface FixedRows {
  scroller: RefObject<HTMLElement | null>
  count: number
  /** Height of each row. */
  rowPx: number
  /** Height of the content that stays on top of the rows, within the scroller. */
  headPx: number
}

/** Rows drawn beyond both ends of the view. */
const OVERSCAN = 6
/** Share of the window's height, for a list that has no layout yet. */
const GUESSED_SHARE = 0.4

export interface RowRange {
  first: number
  /** Exclusive. */
  end: number
}

/**
 * Which rows of equal height are in view: two divisions, however many rows there are. (A virtualizer that measures rows
 * walks all of them on each search; at 100,000 rows that took 30 ms.)
 */
export function useFixedRows({ scroller, count, rowPx, headPx }: FixedRows) {
  const [view, setView] = useState(guessView)
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return undefined
    const look = () => setView((old) => nextView(old, element, rowPx))
    // In the same frame, or empty space would show before the rows.
    const onScroll = () => flushSync(look)
    const observer = new ResizeObserver(look)
    observer.observe(element)
    element.addEventListener('scroll', onScroll, { passive: true })
    look()
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', onScroll)
    }
  }, [scroller, rowPx])
  const scrollTo = useCallback(
    (index: number) => scrollToRow(scroller, index, { rowPx, headPx }),
    [scroller, rowPx, headPx],
  )
  // Rows in view first.
  const overscan = useDrawn(count > 0) ? OVERSCAN : 0
  const rows = rangeInView(view, { count, rowPx, headPx, overscan })
  return { rows, totalPx: count * rowPx, scrollTo }
}

// Drawn once if that is enough, instead of once to measure the list.
const guessView = () => ({ topPx: 0, heightPx: Math.round(window.innerHeight * GUESSED_SHARE) })

/** The rows to draw. */
export function rangeInView(
  view: { topPx: number; heightPx: number },
  { count, rowPx, headPx, overscan }: Omit<FixedRows, 'scroller'> & { overscan: number },
): RowRange {
  const inView = Math.ceil(Math.max(0, view.heightPx - headPx) / rowPx) + 1
  // After a search the list may be shorter than the scroll position.
  const first = Math.min(Math.floor(view.topPx / rowPx), Math.max(0, count - inView))
  return { first: Math.max(0, first - overscan), end: Math.min(count, first + inView + overscan) }
}

function scrollToRow(
  { current: element }: FixedRows['scroller'],
  index: number,
  sizes: { rowPx: number; headPx: number },
): void {
  element?.scrollTo({ top: scrolledTo(index, sizes, element) })
}

/** Scroll position that brings a row into view, with the least movement. */
export function scrolledTo(
  index: number,
  { rowPx, headPx }: { rowPx: number; headPx: number },
  { scrollTop, clientHeight }: { scrollTop: number; clientHeight: number },
): number {
  const above = index * rowPx
  const below = above + rowPx + headPx - clientHeight
  return Math.max(0, Math.min(above, Math.max(below, scrollTop)))
}

// The same object while the same rows are in view, so that nothing is drawn again.
function nextView<View extends { topPx: number; heightPx: number }>(
  old: View,
  { scrollTop, clientHeight }: HTMLElement,
  rowPx: number,
): View | { topPx: number; heightPx: number } {
  const topPx = Math.floor(scrollTop / rowPx) * rowPx
  return old.topPx === topPx && old.heightPx === clientHeight ? old : { topPx, heightPx: clientHeight }
}
