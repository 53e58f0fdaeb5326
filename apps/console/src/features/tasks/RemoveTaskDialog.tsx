import { Text } from '@mantine/core'
import { deleteTask, listAgentTasks, type Task } from '@muster/contract/api/tasks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FormError } from '../../app/FormDialog.tsx'
import { GuardedDialog } from '../../app/GuardedDialog.tsx'
import { call } from '../../app/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs.tsx'
import { notifyDone } from '../../app/notify.ts'
import { queryKey } from '../../app/query-key.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { TaskDialog } from './TaskDialog.tsx'

/** Deletes the task that the address names, with its runs. */
export function RemoveTaskDialog({ item = '', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="Delete task" needs="can_manage_autotasks" onClose={close}>
      <TaskDialog title="Delete task" item={item} close={close} size="sm">
        {(task, { hostname }) => <ConfirmRemove task={task} hostname={hostname} close={close} />}
      </TaskDialog>
    </GuardedDialog>
  )
}

function ConfirmRemove({ task, hostname, close }: { task: Task; hostname: string; close: () => void }) {
  const queryClient = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call(deleteTask, { params: { id: task.id } }),
    meta: { errorsShown: true },
    onSuccess: async () => {
      notifyDone('Task deleted.')
      await queryClient.invalidateQueries({ queryKey: queryKey(listAgentTasks) })
      close()
    },
  })
  return (
    <ConfirmDialog
      title="Delete this task?"
      message={
        <>
          {error !== null && <FormError error={error} />}
          <Text>
            <bdi>{task.name}</bdi> of {hostname} is deleted with all its runs. One that is at work is ended.
          </Text>
        </>
      }
      confirmLabel="Delete"
      danger
      busy={isPending}
      onConfirm={() => mutate()}
      onClose={close}
    />
  )
}
