import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notifyDone } from '../../app/shell/notify.ts'
import { refreshAlerts } from './alerts-query.ts'
import { type AlertChange, describeChange, sendChange } from './send-change.ts'

/** Acknowledges, snoozes or resolves alerts, or takes that back; says when it is done, or why it is not. */
export function useChangeAlerts() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (change: AlertChange) => sendChange(change),
    onSuccess: (changed, change) => notifyDone(describeChange(change, changed)),
    // Also after a refusal: it was of something that is not so any more.
    onSettled: () => refreshAlerts(queryClient),
  })
}
