import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id, IdParams, Instant, Nothing, OptionalEmail } from '../fields.ts'
import { NewPassword } from './sessions.ts'

/** Case-insensitive, stored in lower case. */
export const NewUsername = z
  .string()
  .trim()
  .toLowerCase()
  .min(1, 'A user name is needed.')
  .max(150, 'A user name has at most 150 characters.')
  .regex(/^[a-z0-9._@+-]+$/, 'Letters from a to z, digits and . _ @ + - only.')
const PersonName = z.string().trim().max(150, 'A name has at most 150 characters.')

const EditableUser = z.object({
  first_name: PersonName,
  last_name: PersonName,
  email: OptionalEmail,
  /** May sign in. */
  is_active: z.boolean(),
  /** Has all permissions, whatever the role. Only superusers can grant it. */
  is_superuser: z.boolean(),
  /** null = no role, which allows nothing. */
  role: Id.nullable(),
})

export const User = EditableUser.extend({
  id: z.int(),
  username: z.string(),
  role: z.int().nullable(),
  role_name: z.string().nullable(),
  /** Has all permissions, by the role or without one. */
  has_all_rights: z.boolean(),
  /** Two-factor sign-in is set up. */
  totp: z.boolean(),
  last_login: Instant.nullable(),
  /** Also null for a superuser, if the caller is none. */
  last_login_ip: z.string().nullable(),
  /** Whether the caller may change this user: users with more permissions cannot be changed. */
  may_change: z.boolean(),
  /** Changes whenever the user does. */
  modified: z.string(),
})
export type User = z.infer<typeof User>

export const listUsers = endpoint({
  method: 'GET',
  path: '/accounts/users/',
  access: 'can_list_accounts',
  summary: 'The users, by name',
  response: z.array(User),
})

export const createUser = endpoint({
  method: 'POST',
  path: '/accounts/users/',
  access: 'can_manage_accounts',
  summary: 'Add a user. The role must not exceed the permissions of the caller',
  body: EditableUser.partial().extend({ username: NewUsername, password: NewPassword }),
  response: User,
})

export const getUser = endpoint({
  method: 'GET',
  path: '/accounts/:id/users/',
  access: 'can_list_accounts',
  summary: 'One user',
  params: IdParams,
  response: User,
})

export const editUser = endpoint({
  method: 'PUT',
  path: '/accounts/:id/users/',
  access: 'can_manage_accounts',
  summary:
    'Change some fields of a user; a disabled user is signed out at once. With `modified`, refused if another user has saved since',
  params: IdParams,
  body: EditableUser.partial().extend({ modified: z.string().max(200).optional() }),
  volatile: ['last_login', 'last_login_ip', 'role_name', 'has_all_rights', 'may_change', 'totp'],
  response: User,
})

export const deleteUser = endpoint({
  method: 'DELETE',
  path: '/accounts/:id/users/',
  access: 'can_manage_accounts',
  summary: 'Delete a user, who is signed out at once',
  params: IdParams,
  response: Nothing,
})

export const resetUserPassword = endpoint({
  method: 'POST',
  path: '/accounts/users/reset/',
  access: 'can_manage_accounts',
  summary: "Set another user's password; ends the sessions of that user",
  body: z.object({ id: Id, password: NewPassword }),
  response: Nothing,
})

export const resetUserTotp = endpoint({
  method: 'PUT',
  path: '/accounts/users/reset_totp/',
  access: 'can_manage_accounts',
  summary: "Reset another user's two-factor sign-in; ends the sessions of that user",
  body: z.object({ id: Id }),
  response: Nothing,
})
