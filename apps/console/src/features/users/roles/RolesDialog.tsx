import { Button } from '@mantine/core'
import type { Role } from '@muster/contract/api/roles'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { GuardedDialog, LoadingState } from '../../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../../app/dialogs/dialogs.tsx'
import { useMe } from '../../../app/api/queries.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { ListRows } from '../../../ui/table/ListRows.tsx'
import { EmptyState } from '../../../ui/layout/States.tsx'
import { RemoveRole } from './RemoveRole.tsx'
import { RoleRow } from './RoleRow.tsx'
import { rolesQuery } from './roles-query.ts'
import { useRoleAddress } from './use-role-address.ts'
import classes from './Roles.module.css'

const TITLE = 'Roles'

/** What people may do: the roles, and who has them. */
export function RolesDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_list_accounts" onClose={close}>
      <Roles close={close} />
    </GuardedDialog>
  )
}

function Roles({ close }: { close: () => void }) {
  const mayEdit = useMe()?.is_superuser === true
  const { data, error, refetch } = useQuery(rolesQuery)
  const [removing, setRemoving] = useState<Role>()
  return (
    <>
      <Dialog
        title={TITLE}
        onClose={close}
        size="lg"
        footer={
          <>
            <Button variant="default" onClick={close} data-autofocus>
              Close
            </Button>
            {mayEdit && data !== undefined && data.length > 0 && <NewRole />}
          </>
        }
      >
        {!mayEdit && <p className={classes.note}>Only superusers may change roles.</p>}
        {data === undefined ? (
          <LoadingState error={error} onRetry={() => void refetch()} rows={3} />
        ) : data.length === 0 ? (
          <EmptyState message="There are no roles yet. A role says what its users may do, and which clients they see.">
            {mayEdit && <NewRole />}
          </EmptyState>
        ) : (
          <ListRows label={TITLE}>
            {data.map((role) => (
              <RoleRow key={role.id} role={role} mayEdit={mayEdit} onRemove={() => setRemoving(role)} />
            ))}
          </ListRows>
        )}
      </Dialog>
      {removing !== undefined && <RemoveRole role={removing} onClose={() => setRemoving(undefined)} />}
    </>
  )
}

function NewRole() {
  const { openRole } = useRoleAddress()
  return (
    <Button leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />} onClick={() => openRole('new')}>
      New role
    </Button>
  )
}
