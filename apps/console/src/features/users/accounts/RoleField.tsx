import { Select } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { roleOptions, rolesQuery } from '../roles/role-form.ts'
import type { UserForm } from './user-form.ts'

/** The role of a user. */
export function RoleField({ form, isOwn }: { form: UseFormReturnType<UserForm>; isOwn: boolean }) {
  const { data: roles } = useQuery(rolesQuery)
  const { role, is_superuser } = form.values
  const words = isOwn
    ? 'Only another user can change your role.'
    : roles?.length === 0
      ? 'No roles yet. Create them in Settings > Roles.'
      : 'Permissions and visible clients of the user'
  return (
    <Select
      label="Role"
      description={words}
      placeholder={is_superuser ? 'None: superusers need no role' : 'None: no permissions'}
      data={roleOptions(roles)}
      value={role === null ? null : `${role}`}
      onChange={(value) => form.setFieldValue('role', value === null ? null : Number(value))}
      error={form.errors['role']}
      disabled={isOwn}
      searchable
      clearable
      nothingFoundMessage="No matching role"
      comboboxProps={{ withinPortal: true }}
    />
  )
}
