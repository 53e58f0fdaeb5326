import { Text } from '@mantine/core'
import { type Check, deleteCheck, listAgentChecks } from '@muster/contract/api/checks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FormError } from '../../app/FormDialog.tsx'
import { GuardedDialog } from '../../app/GuardedDialog.tsx'
import { call } from '../../app/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs.tsx'
import { notifyDone } from '../../app/notify.ts'
import { queryKey } from '../../app/query-key.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { CheckDialog } from './CheckDialog.tsx'

/** Deletes the check that the address names, with its history. */
export function RemoveCheckDialog({ item = '', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="Delete check" needs="can_manage_checks" onClose={close}>
      <CheckDialog title="Delete check" item={item} close={close} size="sm">
        {(check, { hostname }) => <ConfirmRemove check={check} hostname={hostname} close={close} />}
      </CheckDialog>
    </GuardedDialog>
  )
}

function ConfirmRemove({ check, hostname, close }: { check: Check; hostname: string; close: () => void }) {
  const queryClient = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call(deleteCheck, { params: { id: check.id } }),
    meta: { errorsShown: true },
    onSuccess: async () => {
      notifyDone('Check deleted.')
      await queryClient.invalidateQueries({ queryKey: queryKey(listAgentChecks) })
      close()
    },
  })
  return (
    <ConfirmDialog
      title="Delete this check?"
      message={
        <>
          {error !== null && <FormError error={error} />}
          <Text>
            <bdi>{check.readable_desc}</bdi> of {hostname} is deleted with its whole history.
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
