import { useCallback, useSyncExternalStore } from 'react'

const SECOND_MS = 1000

/**
 * The time now, by the second, for texts that say how long ago something was: again every `everyMs`, and whenever one
 * is drawn. From the last tick alone, what has come since would be said to come in 8 seconds. Undefined: no time is
 * needed, and none passes.
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
