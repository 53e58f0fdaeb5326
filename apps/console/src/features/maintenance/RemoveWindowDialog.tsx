import {
  deleteMaintenanceWindow,
  listMaintenanceWindows,
  type MaintenanceWindow,
} from '@muster/contract/api/maintenance'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FormError } from '../../app/FormDialog.tsx'
import { call, queryKey } from '../../app/api.ts'
import { notifyDone } from '../../app/notify.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { describeTargets } from './window-state.ts'

/** Asks before a window is deleted. */
export function RemoveWindowDialog({ window, onClose }: { window: MaintenanceWindow; onClose: () => void }) {
  const queryClient = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call(deleteMaintenanceWindow, { params: { id: window.id } }),
    meta: { errorsShown: true },
    onSuccess: () => {
      notifyDone('The maintenance window is deleted.')
      void queryClient.invalidateQueries({ queryKey: queryKey(listMaintenanceWindows) })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title="Delete the maintenance window?"
      message={
        <>
          {error !== null && <FormError error={error} />}
          {`The maintenance of ${describeTargets(window)} does not come again.`}
          {window.active && ' It is on right now: its machines come back at once.'}
        </>
      }
      confirmLabel="Delete"
      danger
      busy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    />
  )
}
