import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useState } from 'react'

/** The location in a tool (a folder, a key), from the address; each location is one step in the browser's history. */
export function useToolLocation() {
  const { at } = useSearch({ strict: false })
  const navigate = useNavigate()
  const go = useCallback(
    (next: string | undefined) =>
      void navigate({
        to: '.',
        search: (old) => ({ ...old, at: next, find: undefined }),
        resetScroll: false,
      }),
    [navigate],
  )
  return { at, go }
}

/** The filter of a tool's list; part of the address and of the location. */
export function useFind(): [string, (find: string) => void] {
  const { at, find = '' } = useSearch({ strict: false })
  const navigate = useNavigate()
  // Letters appear before the address has them.
  const [held, setHeld] = useState({ at, find })
  if (held.at !== at) setHeld({ at, find })
  const change = (next: string) => {
    setHeld({ at, find: next })
    void navigate({
      to: '.',
      search: (old) => ({ ...old, find: next === '' ? undefined : next }),
      replace: true,
      resetScroll: false,
    })
  }
  return [held.find, change]
}
