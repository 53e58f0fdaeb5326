import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useState } from 'react'

/** Where in a tool one is (a folder, a key), as the address says it; each place is one step of the browser's history. */
export function usePlace() {
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

/** What a tool's list is narrowed to; it stands in the address and belongs to the place. */
export function useFind(): [string, (find: string) => void] {
  const { at, find = '' } = useSearch({ strict: false })
  const navigate = useNavigate()
  // Letters are drawn before the address has them.
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
