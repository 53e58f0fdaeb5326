import { Text } from '@mantine/core'
import { deleteCheck, listAgentChecks } from '@muster/contract/api/checks'
import { GuardedDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { RemoveDialog } from '../../app/dialogs/RemoveDialog.tsx'
import { call } from '../../app/api/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { CheckDialog } from './CheckDialog.tsx'

/** Deletes the check in the address, with its history. */
export function RemoveCheckDialog({ item = '', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="Delete check" needs="can_manage_checks" onClose={close}>
      <CheckDialog title="Delete check" item={item} close={close} size="sm">
        {(check, { hostname }) => (
          <RemoveDialog
            title="Delete this check?"
            message={
              <Text>
                <bdi>{check.readable_desc}</bdi> of {hostname} is deleted with its whole history.
              </Text>
            }
            remove={() => call(deleteCheck, { params: { id: check.id } })}
            done="Check deleted."
            stale={queryKey(listAgentChecks)}
            onClose={close}
          />
        )}
      </CheckDialog>
    </GuardedDialog>
  )
}
