import { use, useCallback, useEffect, useState } from 'react'
import { DateFormat } from './date-format-context.ts'

type Write = (instant: string | number, format: string) => string

/** Tooltips are read later: the first screen does not wait for the date library. */
const AFTER_MS = 500

/** Formats instants for tooltips in the user's format; empty for the first moments of a page. */
export function useTipDate(): (instant: string | number) => string {
  const format = use(DateFormat)
  const [write, setWrite] = useState<Write>()
  useEffect(() => {
    let isGone = false
    const timer = setTimeout(async () => {
      const { formatDate } = await import('./date-format.ts')
      if (!isGone) setWrite(() => formatDate)
    }, AFTER_MS)
    return () => {
      isGone = true
      clearTimeout(timer)
    }
  }, [])
  return useCallback((instant) => write?.(instant, format) ?? '', [write, format])
}
