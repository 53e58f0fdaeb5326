import {
  cancelPendingAction,
  listAgentPendingActions,
  listPendingActions,
  type PendingAction,
} from '@muster/contract/api/pending-actions'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../app/api/api.ts'
import { notifyDone } from '../../../app/shell/notify.ts'
import { queryKey } from '../../../app/api/query-key.ts'

/** Calls a pending action off, and says so. */
export function useCancelAction() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id }: PendingAction) => call(cancelPendingAction, { params: { id } }),
    onSuccess: async (_, { hostname }) => {
      notifyDone(`The restart of ${hostname} is called off.`)
      await queryClient.invalidateQueries({ queryKey: queryKey(listAgentPendingActions) })
      await queryClient.invalidateQueries({ queryKey: queryKey(listPendingActions) })
    },
  })
}
