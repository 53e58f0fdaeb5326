import { ActionIcon, Button, Text, Tooltip } from '@mantine/core'
import { deleteRole, type Role } from '@muster/contract/api/roles'
import { IconCrown, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { PERMISSIONS } from '@muster/contract/permissions'
import { GuardedDialog, LoadingState } from '../../../app/dialogs/GuardedDialog.tsx'
import { type AddressedDialogProps, useRecordAddress } from '../../../app/dialogs/use-dialog.ts'
import { useMe } from '../../../app/api/queries.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { ListRow, ListRows, RowDetail } from '../../../ui/table/ListRows.tsx'
import { EmptyState } from '../../../ui/layout/States.tsx'
import { RemoveDialog } from '../../../app/dialogs/RemoveDialog.tsx'
import { call } from '../../../app/api/api.ts'
import { rolesQuery } from './role-form.ts'
import classes from './Roles.module.css'

const TITLE = 'Roles'

/** The roles and their users. */
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
        {!mayEdit && <p className={classes.note}>Only superusers can change roles.</p>}
        {data === undefined ? (
          <LoadingState error={error} onRetry={() => void refetch()} rows={3} />
        ) : data.length === 0 ? (
          <EmptyState message="No roles yet. A role sets permissions and visible clients.">
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
  const { openRecord } = useRecordAddress('roles', 'role')
  return (
    <Button leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />} onClick={() => openRecord('new')}>
      New role
    </Button>
  )
}

/** Asks before a role is deleted; the server refuses while it has users. */
function RemoveRole({ role, onClose }: { role: Role; onClose: () => void }) {
  return (
    <RemoveDialog
      title="Delete this role?"
      message={
        <Text>
          <bdi>{role.name}</bdi> has no users and is deleted.
        </Text>
      }
      remove={() => call(deleteRole, { params: { id: role.id } })}
      done="Role deleted."
      stale={rolesQuery.queryKey}
      onClose={onClose}
    />
  )
}

const MAX_NAMED = 8

interface RoleRowProps {
  role: Role
  mayEdit: boolean
  onRemove: () => void
}

/** A role: permissions, clients and users. */
function RoleRow({ role, mayEdit, onRemove }: RoleRowProps) {
  const { openRecord } = useRecordAddress('roles', 'role')
  const { name, users } = role
  const isUsed = users.length > 0
  const why = isUsed ? 'The role has users.' : 'Delete'
  return (
    <ListRow
      name={name}
      beside={
        role.is_superuser && (
          <span className={classes.superuser}>
            <IconCrown size={14} stroke={1.75} aria-hidden /> superuser
          </span>
        )
      }
      actions={
        mayEdit ? (
          <>
            <Button variant="default" aria-label={`Edit ${name}`} onClick={() => openRecord(role.id)}>
              Edit
            </Button>
            <Tooltip label={why}>
              <ActionIcon
                aria-label={`Delete ${name}`}
                {...(isUsed ? { 'data-disabled': true } : {})}
                aria-disabled={isUsed}
                onClick={() => {
                  if (!isUsed) onRemove()
                }}
              >
                <IconTrash size={16} stroke={1.75} aria-hidden />
              </ActionIcon>
            </Tooltip>
          </>
        ) : null
      }
    >
      <RowDetail>
        {describeExtent(role)}
        {role.require_2fa_for_remote && ', code before remote tools'}
      </RowDetail>
      <RowDetail>{isUsed ? <bdi>{describeUsers(users)}</bdi> : 'No users'}</RowDetail>
    </ListRow>
  )
}

function describeExtent(role: Role): string {
  if (role.is_superuser) return 'All permissions, all clients'
  const count = PERMISSIONS.filter((permission) => role[permission]).length
  const clients = role.can_view_clients.length
  const sites = role.can_view_sites.length
  const places = [
    ...(clients > 0 ? [`${clients} ${clients === 1 ? 'client' : 'clients'}`] : []),
    ...(sites > 0 ? [`${sites} ${sites === 1 ? 'site' : 'sites'}`] : []),
  ]
  const where = places.length === 0 ? 'all clients' : places.join(' and ')
  return `${count} of ${PERMISSIONS.length} permissions, ${where}`
}

function describeUsers(users: readonly string[]): string {
  const rest = users.length - MAX_NAMED
  const named = users.slice(0, MAX_NAMED).join(', ')
  return `${users.length} ${users.length === 1 ? 'user' : 'users'}: ${named}${rest > 0 ? ` and ${rest} more` : ''}`
}
