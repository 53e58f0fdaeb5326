import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { type HistoryView, readView, writeView } from './history-view.ts'

/** The view of the history in the address, so that a copied link shows the same. */
export function useHistoryView() {
  const { filter } = useSearch({ strict: false })
  const navigate = useNavigate()
  const view = readView(filter)
  const change = useCallback(
    (part: Partial<HistoryView>) =>
      void navigate({
        to: '.',
        search: (old) => ({ ...old, filter: writeView({ ...readView(old.filter), ...part }) }),
        replace: true,
      }),
    [navigate],
  )
  return { view, change }
}
