import { Text } from '@mantine/core'
import { deleteTask, listAgentTasks } from '@muster/contract/api/tasks'
import { GuardedDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { RemoveDialog } from '../../app/dialogs/RemoveDialog.tsx'
import { call } from '../../app/api/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { TaskDialog } from './TaskDialog.tsx'

/** Deletes the task in the address, with its runs. */
export function RemoveTaskDialog({ item = '', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="Delete task" needs="can_manage_autotasks" onClose={close}>
      <TaskDialog title="Delete task" item={item} close={close} size="sm">
        {(task, { hostname }) => (
          <RemoveDialog
            title="Delete this task?"
            message={
              <Text>
                <bdi>{task.name}</bdi> of {hostname} is deleted with all its runs. An active run is stopped.
              </Text>
            }
            remove={() => call(deleteTask, { params: { id: task.id } })}
            done="Task deleted."
            stale={queryKey(listAgentTasks)}
            onClose={close}
          />
        )}
      </TaskDialog>
    </GuardedDialog>
  )
}
