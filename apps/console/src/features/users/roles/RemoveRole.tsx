import { Text } from '@mantine/core'
import { deleteRole, type Role } from '@muster/contract/api/roles'
import { RemoveDialog } from '../../../app/dialogs/RemoveDialog.tsx'
import { call } from '../../../app/api/api.ts'
import { rolesQuery } from './roles-query.ts'

/** Asks before a role is deleted; the server refuses while somebody has it. */
export function RemoveRole({ role, onClose }: { role: Role; onClose: () => void }) {
  return (
    <RemoveDialog
      title="Delete this role?"
      message={
        <Text>
          <bdi>{role.name}</bdi> is deleted with all that it says. Nobody has it.
        </Text>
      }
      remove={() => call(deleteRole, { params: { id: role.id } })}
      done="Role deleted."
      stale={rolesQuery.queryKey}
      onClose={onClose}
    />
  )
}
