import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notifyDone } from '../../app/shell/notify.ts'
import { refreshAlerts } from './alerts-query.ts'
import { type AlertChange, describeChange, sendChange } from './send-change.ts'

/** Acknowledges, snoozes or resolves alerts, or reverts that; notifies about success or failure. */
export function useChangeAlerts() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (change: AlertChange) => sendChange(change),
    onSuccess: (changed, change) => notifyDone(describeChange(change, changed)),
    // Also after an error, which may come from an outdated state.
    onSettled: () => refreshAlerts(queryClient),
  })
}
