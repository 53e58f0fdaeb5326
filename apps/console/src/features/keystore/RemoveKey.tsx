import { Text } from '@mantine/core'
import { type KeyStoreEntry, deleteKey } from '@muster/contract/api/keystore'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FormError } from '../../app/FormDialog.tsx'
import { call } from '../../app/api.ts'
import { notifyDone } from '../../app/notify.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { keyStoreQuery } from './keystore-query.ts'

/** Asks before a key is deleted. */
export function RemoveKey({ entry, onClose }: { entry: KeyStoreEntry; onClose: () => void }) {
  const queryClient = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call(deleteKey, { params: { id: entry.id } }),
    meta: { errorsShown: true },
    onSuccess: async () => {
      notifyDone('Key deleted.')
      await queryClient.invalidateQueries({ queryKey: keyStoreQuery.queryKey })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title="Delete this key?"
      message={
        <>
          {error !== null && <FormError error={error} />}
          <Text>
            Scripts that name <bdi>{entry.name}</bdi> are not run any more until it is stored again. Its value
            cannot be brought back.
          </Text>
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
