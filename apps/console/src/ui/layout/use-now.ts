import { use, useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { DateFormat } from './date-format-context.ts'
import { onClockChange, serverNow } from './server-clock.ts'

const SECOND_MS = 1000

/**
 * The current time of the server in seconds, for relative times: updated every `everyMs`, and at each render. With the last tick
 * alone, a newer event would be "in 8 seconds". Undefined: no time is needed and no timer runs.
 */
export function useNow(everyMs: number | undefined): number {
  const tick = useCallback(
    (onTick: () => void) => {
      if (everyMs === undefined) return () => {}
      const timer = setInterval(onTick, everyMs)
      const stop = onClockChange(onTick)
      return () => {
        clearInterval(timer)
        stop()
      }
    },
    [everyMs],
  )
  return useSyncExternalStore(tick, everyMs === undefined ? noTime : thisSecond)
}

const thisSecond = () => Math.ceil(serverNow() / SECOND_MS) * SECOND_MS
const noTime = () => 0

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
      // While the server is unreachable, tooltips have no date.
      const loaded = await import('./date-format.ts').catch(() => undefined)
      if (!isGone && loaded !== undefined) setWrite(() => loaded.formatDate)
    }, AFTER_MS)
    return () => {
      isGone = true
      clearTimeout(timer)
    }
  }, [])
  return useCallback((instant) => write?.(instant, format) ?? '', [write, format])
}
