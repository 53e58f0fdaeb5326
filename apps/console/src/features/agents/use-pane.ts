import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { Pane } from '../../app/search.ts'

/** The machine's tab in the address and its open entry; the same on the dashboard and the machine page. */
export function usePane() {
  const { pane = 'summary', entry } = useSearch({ strict: false })
  const navigate = useNavigate()
  const setPane = useCallback(
    (next: Pane, openEntry?: string) =>
      void navigate({
        to: '.',
        search: (old) => ({
          ...old,
          pane: next === 'summary' ? undefined : next,
          entry: openEntry,
          find: undefined,
        }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  )
  const setEntry = useCallback(
    (next: string | undefined) =>
      void navigate({
        to: '.',
        search: (old) => ({ ...old, entry: next }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  )
  return { pane, entry, setPane, setEntry }
}
