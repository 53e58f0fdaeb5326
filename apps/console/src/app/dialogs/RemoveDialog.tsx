import type { QueryKey } from '@tanstack/react-query'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ConfirmDialog } from '../../ui/dialog/ConfirmDialog.tsx'
import { FormError } from './FormDialog.tsx'
import { notifyDone } from '../shell/notify.ts'

interface RemoveDialogProps {
  title: string
  message: ReactNode
  remove: () => Promise<unknown>
  done: string
  /** The list that it is in. */
  stale: QueryKey
  typed?: string
  onClose: () => void
}

/** Asks before an item is deleted, and shows the error in place. */
export function RemoveDialog({ title, message, remove, done, stale, typed, onClose }: RemoveDialogProps) {
  const queryClient = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: remove,
    meta: { errorsShown: true },
    onSuccess: async () => {
      notifyDone(done)
      // First, so that no mounted component requests the deleted item again.
      onClose()
      await queryClient.invalidateQueries({ queryKey: stale })
    },
  })
  return (
    <ConfirmDialog
      title={title}
      message={
        <>
          {error !== null && <FormError error={error} />}
          {message}
        </>
      }
      confirmLabel="Delete"
      danger
      {...(typed === undefined ? {} : { typed })}
      busy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    />
  )
}
