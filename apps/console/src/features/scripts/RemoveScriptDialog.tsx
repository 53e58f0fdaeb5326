import { type Script, deleteScript, listScripts } from '@muster/contract/api/scripts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FormError } from '../../app/FormDialog.tsx'
import { call } from '../../app/api.ts'
import { notifyDone } from '../../app/notify.ts'
import { queryKey } from '../../app/query-key.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'

/** Asks before a script is deleted for good. */
export function RemoveScriptDialog({ script, onClose }: { script: Script; onClose: () => void }) {
  const queryClient = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call(deleteScript, { params: { id: script.id } }),
    meta: { errorsShown: true },
    onSuccess: () => {
      notifyDone(`${script.name} is deleted.`)
      void queryClient.invalidateQueries({ queryKey: queryKey(listScripts) })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={`Delete ${script.name}?`}
      message={
        <>
          {error !== null && <FormError error={error} />}
          The script is deleted for good. What was run with it stays in the history of the machines.
        </>
      }
      confirmLabel="Delete"
      danger
      typed="yes"
      busy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    />
  )
}
