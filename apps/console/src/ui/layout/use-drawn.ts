import { useEffect, useState } from 'react'

/** Whether what is ready has been on screen for a frame; from then on true for good. */
export function useDrawn(isReady: boolean): boolean {
  const [isDrawn, setDrawn] = useState(false)
  useEffect(() => {
    if (!isReady || isDrawn) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    // The callback runs before its frame is drawn, what it puts off runs after.
    const frame = requestAnimationFrame(() => (timer = setTimeout(() => setDrawn(true))))
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [isReady, isDrawn])
  return isDrawn
}
