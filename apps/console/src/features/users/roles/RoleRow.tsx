import { ActionIcon, Button, Tooltip } from '@mantine/core'
import type { Role } from '@muster/contract/api/roles'
import { PERMISSIONS } from '@muster/contract/permissions'
import { IconCrown, IconTrash } from '@tabler/icons-react'
import { ListRow, RowDetail } from '../../../ui/table/ListRows.tsx'
import classes from './Roles.module.css'
import { useRoleAddress } from './use-role-address.ts'

const MOST_NAMED = 8

interface RoleRowProps {
  role: Role
  mayEdit: boolean
  onRemove: () => void
}

/** A role: how much it allows, where, and who has it. */
export function RoleRow({ role, mayEdit, onRemove }: RoleRowProps) {
  const { openRole } = useRoleAddress()
  const { name, users } = role
  const isUsed = users.length > 0
  const why = isUsed ? 'Somebody has this role.' : 'Delete'
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
            <Button variant="default" aria-label={`Edit ${name}`} onClick={() => openRole(role.id)}>
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
        {role.require_2fa_for_remote && ', asks for a code before remote tools'}
      </RowDetail>
      <RowDetail>{isUsed ? <bdi>{describeUsers(users)}</bdi> : 'Nobody has it.'}</RowDetail>
    </ListRow>
  )
}

function describeExtent(role: Role): string {
  if (role.is_superuser) return 'May do everything, everywhere'
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
  const rest = users.length - MOST_NAMED
  const named = users.slice(0, MOST_NAMED).join(', ')
  return `${users.length} ${users.length === 1 ? 'user' : 'users'}: ${named}${rest > 0 ? ` and ${rest} more` : ''}`
}
