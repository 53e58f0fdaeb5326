import { useCallback, useSyncExternalStore } from 'react'

const SECOND_MS = 1000

/**
 * The current time in seconds, for relative times: updated every `everyMs`, and at each render. With the last tick
 * alone, a newer event would be "in 8 seconds". Undefined: no time is needed and no timer runs.
 */
export function useNow(everyMs: number | undefined): number {
  const tick = useCallback(
    (tell: () => void) => {
      if (everyMs === undefined) return () => {}
      const timer = setInterval(tell, everyMs)
      return () => clearInterval(timer)
    },
    [everyMs],
  )
  return useSyncExternalStore(tick, everyMs === undefined ? noTime : thisSecond)
}

const thisSecond = () => Math.ceil(Date.now() / SECOND_MS) * SECOND_MS
const noTime = () => 0
