import { Select } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { rolesQuery } from '../roles/roles-query.ts'
import type { UserForm } from './user-form.ts'

/** Which role a user has, among those that there are. */
export function RoleField({ form, isOwn }: { form: UseFormReturnType<UserForm>; isOwn: boolean }) {
  const { data: roles } = useQuery(rolesQuery)
  const { role, is_superuser } = form.values
  const words = isOwn
    ? 'Somebody else may change your role.'
    : roles?.length === 0
      ? 'There are no roles yet: they are made in Settings, Roles.'
      : 'What the user may do, and which clients are seen.'
  return (
    <Select
      label="Role"
      description={words}
      placeholder={is_superuser ? 'None: a superuser needs no role' : 'None: may do nothing'}
      data={(roles ?? []).map(({ id, name }) => ({ value: `${id}`, label: name }))}
      value={role === null ? null : `${role}`}
      onChange={(value) => form.setFieldValue('role', value === null ? null : Number(value))}
      error={form.errors['role']}
      disabled={isOwn}
      searchable
      clearable
      nothingFoundMessage="There is no such role."
      comboboxProps={{ withinPortal: true }}
    />
  )
}
