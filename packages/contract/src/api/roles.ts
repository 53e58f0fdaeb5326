import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { IdParams, Nothing } from '../fields.ts'
import { type Permission, PERMISSIONS } from '../permissions.ts'

const MOST_PLACES = 10_000
const Places = z.array(z.int().min(1).max(2_147_483_647)).max(MOST_PLACES)

/** One flag for each permission, under its own name. */
const Flags = z.object(
  // Object.fromEntries forgets the names that it is given.
  Object.fromEntries(PERMISSIONS.map((name) => [name, z.boolean()])) as Record<Permission, z.ZodBoolean>,
)

const EditableRole = Flags.extend({
  name: z.string().trim().min(1, 'A name is needed.').max(255, 'A name has at most 255 characters.'),
  /** May do everything, whatever the flags say, and sees every client. */
  is_superuser: z.boolean(),
  /** Who has the role has to set up two-factor sign-in. */
  totp_required: z.boolean(),
  /** A code is asked for again before a terminal, a desktop or the registry is opened. */
  require_2fa_for_remote: z.boolean(),
  /** The clients and sites that it sees, by id; both empty = all. A client brings its sites. */
  can_view_clients: Places,
  can_view_sites: Places,
})

export const Role = EditableRole.extend({
  id: z.int(),
  user_count: z.int(),
  /** The names of those who have it. */
  users: z.array(z.string()),
  /** Another text once the role is another. */
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
  summary: 'Add a role; what is not said is not allowed. Superusers only',
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
    'Change some of what a role says, at once for all who have it; superusers only. With `modified`, refused when somebody else was faster',
  params: IdParams,
  body: EditableRole.partial().extend({ modified: z.string().max(200).optional() }),
  volatile: ['user_count', 'users'],
  response: Role,
})

export const deleteRole = endpoint({
  method: 'DELETE',
  path: '/accounts/roles/:id/',
  access: 'can_manage_accounts',
  summary: 'Delete a role that nobody has; superusers only',
  params: IdParams,
  response: Nothing,
})
