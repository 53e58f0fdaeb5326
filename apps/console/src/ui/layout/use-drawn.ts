import { useEffect, useState } from 'react'

/** Whether ready content has been on screen for a frame; true for good from then on. */
export function useDrawn(isReady: boolean): boolean {
  const [isDrawn, setDrawn] = useState(false)
  useEffect(() => {
    if (!isReady || isDrawn) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    // The callback runs before its frame is drawn; the nested one runs after.
    const frame = requestAnimationFrame(() => (timer = setTimeout(() => setDrawn(true))))
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [isReady, isDrawn])
  return isDrawn
}
