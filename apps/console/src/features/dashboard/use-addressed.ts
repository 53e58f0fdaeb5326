import { useCallback, useEffect, useRef, useState } from 'react'

/**
 * A part of the address that changes faster than the address should: typing, or a selection moved by a held arrow key.
 * Shown at once and written to the address after a pause; a change of the address from elsewhere wins.
 */
export function useAddressed<Value>(
  address: Value,
  write: (value: Value) => void,
  pauseMs: number,
): [Value, (value: Value, when?: 'now') => void] {
  const [value, setValue] = useState(address)
  const written = useRef(address)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (Object.is(address, written.current)) return
    clearTimeout(timer.current)
    written.current = address
    setValue(() => address)
  }, [address])
  useEffect(() => () => clearTimeout(timer.current), [])
  const set = useCallback(
    (next: Value, when?: 'now') => {
      setValue(() => next)
      clearTimeout(timer.current)
      const commit = () => {
        written.current = next
        write(next)
      }
      if (when === 'now') commit()
      else timer.current = setTimeout(commit, pauseMs)
    },
    [write, pauseMs],
  )
  return [value, set]
}
