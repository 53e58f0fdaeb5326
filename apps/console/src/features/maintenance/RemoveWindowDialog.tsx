import {
  deleteMaintenanceWindow,
  listMaintenanceWindows,
  type MaintenanceWindow,
} from '@muster/contract/api/maintenance'
import { RemoveDialog } from '../../app/dialogs/RemoveDialog.tsx'
import { call, queryKey } from '../../app/api/api.ts'
import { describeTargets } from './window-state.ts'

/** Asks before a window is deleted. */
export function RemoveWindowDialog({ window, onClose }: { window: MaintenanceWindow; onClose: () => void }) {
  return (
    <RemoveDialog
      title="Delete the maintenance window?"
      message={
        <>
          {`The maintenance of ${describeTargets(window)} does not come again.`}
          {window.active && ' It is on right now: its machines come back at once.'}
        </>
      }
      remove={() => call(deleteMaintenanceWindow, { params: { id: window.id } })}
      done="The maintenance window is deleted."
      stale={queryKey(listMaintenanceWindows)}
      onClose={onClose}
    />
  )
}
