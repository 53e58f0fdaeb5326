import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { IdParams, Nothing } from '../fields.ts'
import { type Permission, PERMISSIONS } from '../permissions.ts'

const MAX_TARGETS = 10_000
const Semaphore = z.array(z.int().min(1).max(2_147_483_647)).max(MAX_TARGETS)

/** One flag per permission, with its name. */
const Flags = z.object(
  // Object.fromEntries loses the literal names.
  Object.fromEntries(PERMISSIONS.map((name) => [name, z.boolean()])) as Record<Permission, z.ZodBoolean>,
)

const EditableRole = Flags.extend({
  name: z.string().trim().min(1, 'A name is needed.').max(255, 'A name has at most 255 characters.'),
  /** Has all permissions, whatever the flags say, and sees every client. */
  is_superuser: z.boolean(),
  /** Users with this role must set up two-factor sign-in. */
  totp_required: z.boolean(),
  /** A code is required again before a terminal, a desktop or the registry opens. */
  require_2fa_for_remote: z.boolean(),
  /** Ids of the visible clients and sites; both empty = all. A client includes its sites. */
  can_view_clients: Semaphore,
  can_view_sites: Semaphore,
})

export const Role = EditableRole.extend({
  id: z.int(),
  user_count: z.int(),
  /** Names of the users with this role. */
  users: z.array(z.string()),
  /** Changes with the role. */
  modified: z.string(),
})
export type Role = z.infer<typeof Role>

export const listRoles = endpoint({
  method: 'GET',
  path: '/accounts/roles/',
  access: 'can_list_accounts',
  summary: 'The roles, by name',
  response: z.array(Role),
})

export const createRole = endpoint({
  method: 'POST',
  path: '/accounts/roles/',
  access: 'can_manage_accounts',
  summary: 'Add a role; missing permissions are not allowed. Superusers only',
  body: EditableRole.partial().required({ name: true }),
  response: Role,
})

export const getRole = endpoint({
  method: 'GET',
  path: '/accounts/roles/:id/',
  access: 'can_list_accounts',
  summary: 'One role',
  params: IdParams,
  response: Role,
})

export const editRole = endpoint({
  method: 'PUT',
  path: '/accounts/roles/:id/',
  access: 'can_manage_accounts',
  summary:
    'Change some fields of a role, effective at once; superusers only. With `modified`, refused if another user has saved since',
  params: IdParams,
  body: EditableRole.partial().extend({ modified: z.string().max(200).optional() }),
  volatile: ['user_count', 'users'],
  response: Role,
})

export const deleteRole = endpoint({
  method: 'DELETE',
  path: '/accounts/roles/:id/',
  access: 'can_manage_accounts',
  summary: 'Delete a role without users; superusers only',
  params: IdParams,
  response: Nothing,
})
