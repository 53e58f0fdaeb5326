import { savePreferences } from '@muster/contract/api/users'
import { TREE_SPLITTER_DEFAULT } from '@muster/rules/text/layout'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../app/api/api.ts'
import { dashInfoQuery, useDashInfo } from '../../app/api/queries.ts'

/** Neither the tree nor the table may vanish. */
const LIMITS = { min: 10, max: 60, initial: TREE_SPLITTER_DEFAULT }

/** Width of the tree in percent: as the user left it, saved as a whole number on release. */
export function useTreeSplitter() {
  const saved = useDashInfo()?.client_tree_splitter ?? TREE_SPLITTER_DEFAULT
  const [moving, setMoving] = useState<number>()
  const queryClient = useQueryClient()
  const { mutate } = useMutation({
    mutationFn: (client_tree_splitter: number) => call(savePreferences, { body: { client_tree_splitter } }),
    onSuccess: ({ client_tree_splitter }) =>
      queryClient.setQueryData(dashInfoQuery.queryKey, (old) =>
        old ? { ...old, client_tree_splitter } : old,
      ),
  })
  const percent = Math.min(LIMITS.max, Math.max(LIMITS.min, moving ?? saved))
  return {
    percent,
    limits: LIMITS,
    move: setMoving,
    save: (wanted: number) => {
      // Stays where it was left although saving may take a moment, or fail.
      setMoving(wanted)
      mutate(Math.trunc(wanted))
    },
  }
}
