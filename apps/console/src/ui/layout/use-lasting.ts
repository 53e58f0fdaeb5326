import { useEffect, useState } from 'react'

/** True once `active` has lasted for `delayMs`: shorter states are not shown. */
export function useLasting(active: boolean, delayMs: number): boolean {
  const [lasted, setLasted] = useState(false)
  useEffect(() => {
    if (!active) return undefined
    const timer = setTimeout(() => setLasted(true), delayMs)
    return () => {
      clearTimeout(timer)
      setLasted(false)
    }
  }, [active, delayMs])
  return active && lasted
}
