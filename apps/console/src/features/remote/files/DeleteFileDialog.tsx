import { joinRaw, showRaw } from '@muster/rules/agents/raw-path'
import { useMutation } from '@tanstack/react-query'
import { FormError } from '../../../app/dialogs/FormDialog.tsx'
import { notifyDone } from '../../../app/shell/notify.ts'
import { ConfirmDialog } from '../../../ui/dialog/ConfirmDialog.tsx'
import type { FileDialogProps } from './file-dialog.ts'
import { useChangeFile } from './use-change-file.ts'

/** Asks for the word where much goes: a folder with everything in it. */
export function DeleteFileDialog({ agent, folder, entry, onClose }: FileDialogProps) {
  const change = useChangeFile(agent.agent_id)
  const isFolder = entry.kind === 'folder'
  const path = joinRaw(folder, entry.raw)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => change({ change: 'delete', path }),
    meta: { errorsShown: true },
    onSuccess: ({ count }) => {
      notifyDone(count > 1 ? `${entry.name} and ${count - 1} more are deleted.` : `${entry.name} is deleted.`)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={`Delete ${entry.name} on ${agent.hostname}?`}
      message={
        <>
          {error !== null && <FormError error={error} />}
          <p>
            {showRaw(path)} {isFolder ? 'goes with everything in it, and' : ''} cannot be brought back.
          </p>
        </>
      }
      confirmLabel="Delete"
      danger
      {...(isFolder ? { typed: 'delete' } : {})}
      busy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    />
  )
}
