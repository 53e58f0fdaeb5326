import { ActionIcon, Button, Text, Tooltip } from '@mantine/core'
import { isTemplateRole } from '@muster/contract/built-in-roles'
import { deleteRole, type Role } from '@muster/contract/api/roles'
import { IconCrown, IconLock, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { PERMISSIONS } from '@muster/contract/permissions'
import { GuardedDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import { ListDialog, NewButton } from '../../../app/dialogs/ListDialog.tsx'
import { type AddressedDialogProps, useRecordAddress } from '../../../app/dialogs/use-dialog.ts'
import { useMe } from '../../../app/api/queries.ts'
import { ListRow, RowDetail } from '../../../ui/table/ListRows.tsx'
import { RemoveDialog } from '../../../app/dialogs/RemoveDialog.tsx'
import { call } from '../../../app/api/api.ts'
import { describeBuiltIn, rolesQuery } from './role-form.ts'
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
  const { openRecord } = useRecordAddress('roles', 'role')
  const roles = useQuery(rolesQuery)
  const [removing, setRemoving] = useState<Role>()
  return (
    <>
      <ListDialog
        title={TITLE}
        size="lg"
        onClose={close}
        rows={roles}
        empty="No roles yet. A role sets permissions and visible clients."
        create={mayEdit && <NewButton onClick={() => openRecord('new')}>New role</NewButton>}
        note={!mayEdit && <p className={classes.note}>Only superusers can change roles.</p>}
        searchText={({ name, users }) => [name, ...users].join('\n')}
      >
        {(role) => <RoleRow key={role.id} role={role} mayEdit={mayEdit} onRemove={() => setRemoving(role)} />}
      </ListDialog>
      {removing !== undefined && <RemoveRole role={removing} onClose={() => setRemoving(undefined)} />}
    </>
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
  const isBuiltIn = role.built_in !== null
  const why = isBuiltIn ? 'Built-in roles cannot be deleted.' : isUsed ? 'The role has users.' : 'Delete'
  const isKept = isUsed || isBuiltIn
  return (
    <ListRow
      name={name}
      beside={
        <>
          {role.is_superuser && (
            <span className={classes.superuser}>
              <IconCrown size={14} stroke={1.75} aria-hidden /> superuser
            </span>
          )}
          {isBuiltIn && (
            <span className={classes.builtIn}>
              <IconLock size={14} stroke={1.75} aria-hidden /> built in
            </span>
          )}
        </>
      }
      actions={
        mayEdit ? (
          <>
            <Button
              variant="default"
              aria-label={`${isBuiltIn ? 'View' : 'Edit'} ${name}`}
              onClick={() => openRecord(role.id)}
            >
              {isBuiltIn ? 'View' : 'Edit'}
            </Button>
            <Button
              variant="default"
              aria-label={`Copy ${name}`}
              onClick={() => openRecord(`copy.${role.id}`)}
            >
              Copy
            </Button>
            <Tooltip label={why}>
              <ActionIcon
                aria-label={`Delete ${name}`}
                {...(isKept ? { 'data-disabled': true } : {})}
                aria-disabled={isKept}
                onClick={() => {
                  if (!isKept) onRemove()
                }}
              >
                <IconTrash size={16} stroke={1.75} aria-hidden />
              </ActionIcon>
            </Tooltip>
          </>
        ) : null
      }
    >
      {isBuiltIn && <RowDetail>{describeBuiltIn(role)}</RowDetail>}
      <RowDetail>
        {describeExtent(role)}
        {role.require_2fa_for_remote && ', code before remote tools'}
        {(role.approve_jobs_over !== null || role.approve_job_actions.length > 0) && ', jobs need approval'}
      </RowDetail>
      <RowDetail>{isUsed ? <bdi>{describeUsers(users)}</bdi> : 'No users'}</RowDetail>
    </ListRow>
  )
}

function describeExtent(role: Role): string {
  if (role.is_superuser) return 'All permissions, all clients'
  const isTemplate = isTemplateRole(role.built_in)
  const count = PERMISSIONS.filter((permission) => role[permission]).length
  const clients = role.can_view_clients.length
  const sites = role.can_view_sites.length
  const places = [
    ...(clients > 0 ? [`${clients} ${clients === 1 ? 'client' : 'clients'}`] : []),
    ...(sites > 0 ? [`${sites} ${sites === 1 ? 'site' : 'sites'}`] : []),
  ]
  const where = isTemplate
    ? 'clients chosen in the copy'
    : places.length === 0
      ? 'all clients'
      : places.join(' and ')
  return `${count} of ${PERMISSIONS.length} permissions, ${where}`
}

function describeUsers(users: readonly string[]): string {
  const rest = users.length - MAX_NAMED
  const named = users.slice(0, MAX_NAMED).join(', ')
  return `${users.length} ${users.length === 1 ? 'user' : 'users'}: ${named}${rest > 0 ? ` and ${rest} more` : ''}`
}
