import '@mantine/core/styles/Alert.css'
import { Alert, Button, Stack } from '@mantine/core'
import type { Role } from '@muster/contract/api/roles'
import { PERMISSION_GROUPS, permissionLabel } from '@muster/contract/permission-texts'
import type { Permission } from '@muster/contract/permissions'
import { IconLock } from '@tabler/icons-react'
import { useRecordAddress } from '../../../app/dialogs/use-dialog.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { describeBuiltIn, readRole } from './role-form.ts'
import classes from './Roles.module.css'

/** A built-in role: what it is for and what it may do. */
export function BuiltInRoleDialog({ role, onClose }: { role: Role; onClose: () => void }) {
  const { openRecord } = useRecordAddress('roles', 'role')
  return (
    <Dialog
      title={role.name}
      size="lg"
      onClose={onClose}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button onClick={() => openRecord(`copy.${role.id}`)}>Copy role</Button>
        </>
      }
    >
      <Stack gap="md">
        <Alert
          color="gray"
          icon={<IconLock size={16} stroke={1.75} aria-hidden />}
          title="Built-in roles cannot be changed"
        >
          Copy the role to get one that you can change. Updates of the server keep its permissions current.
        </Alert>
        <div>{describeBuiltIn(role)}</div>
        <RoleRights permissions={readRole(role).permissions} />
      </Stack>
    </Dialog>
  )
}

/** The rights of a role in words. */
function RoleRights({ permissions }: { permissions: readonly Permission[] }) {
  const groups = PERMISSION_GROUPS.map(({ label, permissions: all }) => {
    return { label, held: all.filter((permission) => permissions.includes(permission)) }
  }).filter(({ held }) => held.length > 0)
  if (groups.length === 0) return <p className={classes.note}>No permissions</p>
  return (
    <div className={classes.rights}>
      {groups.map(({ label, held }) => (
        <div key={label}>
          <strong>{label}</strong>
          <ul aria-label={label}>
            {held.map((permission) => (
              <li key={permission}>{permissionLabel(permission)}</li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  )
}
