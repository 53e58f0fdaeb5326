import { useEffect, useState } from 'react'

/** A wait that the server asked for, from the moment at which it said so. */
export interface Wait {
  seconds: number
  endsAtMs: number
}

/** Whole seconds until the wait is over; 0 when there is none. */
export function useCountdown(wait: Wait | undefined): number {
  const [tick, setTick] = useState<{ wait: Wait; left: number }>()
  useEffect(() => {
    if (wait === undefined) return undefined
    const timer = setInterval(() => {
      const left = Math.max(0, Math.ceil((wait.endsAtMs - Date.now()) / 1000))
      setTick({ wait, left })
      if (left === 0) clearInterval(timer)
    }, 250)
    return () => clearInterval(timer)
  }, [wait])
  if (wait === undefined) return 0
  return tick?.wait === wait ? tick.left : wait.seconds
}
