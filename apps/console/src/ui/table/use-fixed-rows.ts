import { type RefObject, useCallback, useLayoutEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { useDrawn } from '../layout/use-drawn.ts'

interface FixedRows {
  scroller: RefObject<HTMLElement | null>
  count: number
  /** Height of each row. */
  rowPx: number
  /** Height of what stays on top of the rows, within the scroller. */
  headPx: number
}

/** Rows that are drawn beyond both ends of what is in view. */
const OVERSCAN = 6
/** Of the window's height, for a list that has not been laid out yet. */
const GUESSED_SHARE = 0.4

export interface RowRange {
  first: number
  /** Not included. */
  end: number
}

/**
 * Which rows of a list are in view, where all rows are equally high: then it is two divisions, however many rows there
 * are. (A virtualizer that measures rows walks all of them on each search; at 100,000 rows that took 30 ms.)
 */
export function useFixedRows({ scroller, count, rowPx, headPx }: FixedRows) {
  const [view, setView] = useState(guessView)
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return undefined
    const look = () => setView((old) => nextView(old, element, rowPx))
    // In the same frame, or one would see empty space before the rows.
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
  // What is in view comes first.
  const overscan = useDrawn(count > 0) ? OVERSCAN : 0
  const rows = rangeInView(view, { count, rowPx, headPx, overscan })
  return { rows, totalPx: count * rowPx, scrollTo }
}

// Drawn once where that is enough, instead of once to find out how high the list is.
const guessView = () => ({ topPx: 0, heightPx: Math.round(window.innerHeight * GUESSED_SHARE) })

/** The rows to draw. */
export function rangeInView(
  view: { topPx: number; heightPx: number },
  { count, rowPx, headPx, overscan }: Omit<FixedRows, 'scroller'> & { overscan: number },
): RowRange {
  const inView = Math.ceil(Math.max(0, view.heightPx - headPx) / rowPx) + 1
  // After a search there may be fewer rows than one had scrolled past.
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

/** Where to scroll so that a row is in view; as little as possible. */
export function scrolledTo(
  index: number,
  { rowPx, headPx }: { rowPx: number; headPx: number },
  { scrollTop, clientHeight }: { scrollTop: number; clientHeight: number },
): number {
  const above = index * rowPx
  const below = above + rowPx + headPx - clientHeight
  return Math.max(0, Math.min(above, Math.max(below, scrollTop)))
}

// The same object while the same rows are in view: then nothing is drawn again.
function nextView<View extends { topPx: number; heightPx: number }>(
  old: View,
  { scrollTop, clientHeight }: HTMLElement,
  rowPx: number,
): View | { topPx: number; heightPx: number } {
  const topPx = Math.floor(scrollTop / rowPx) * rowPx
  return old.topPx === topPx && old.heightPx === clientHeight ? old : { topPx, heightPx: clientHeight }
}
