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

/** Cancels a pending action and notifies about it. */
export function useCancelAction() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id }: PendingAction) => call(cancelPendingAction, { params: { id } }),
    onSuccess: async (_, { hostname }) => {
      notifyDone(`Reboot of ${hostname} cancelled.`)
      await queryClient.invalidateQueries({ queryKey: queryKey(listAgentPendingActions) })
      await queryClient.invalidateQueries({ queryKey: queryKey(listPendingActions) })
    },
  })
}
