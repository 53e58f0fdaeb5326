import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id, IdParams, Instant, Nothing, OptionalEmail } from '../fields.ts'
import { NewPassword } from './sessions.ts'

/** Compared without case, and kept in lower case. */
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
  /** May do everything, whatever the role says. Only superusers may give it. */
  is_superuser: z.boolean(),
  /** null = none: may do nothing. */
  role: Id.nullable(),
})

export const User = EditableUser.extend({
  id: z.int(),
  username: z.string(),
  role: z.int().nullable(),
  role_name: z.string().nullable(),
  /** May do everything, by the role or without one. */
  has_all_rights: z.boolean(),
  /** Two-factor sign-in is set up. */
  totp: z.boolean(),
  last_login: Instant.nullable(),
  /** Null as well for a superuser, where the caller is none. */
  last_login_ip: z.string().nullable(),
  /** Whether the caller may change this user: nobody changes who may do more. */
  may_change: z.boolean(),
  /** Another text once the user is another. */
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
  summary: 'Add a user, with no role that allows more than the caller may do',
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
    'Change some of what is known of a user; who may not sign in any more is signed out at once. With `modified`, refused when somebody else was faster',
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
  summary: "Forget another user's TOTP key, so that a new one is set up; ends the sessions of that user",
  body: z.object({ id: Id }),
  response: Nothing,
})
