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
  /** For programs only: API keys work, sign-in does not. */
  block_dashboard_login: z.boolean(),
  /** After the next sign-in, the user can do nothing before changing the password. API keys still work. */
  must_change_password: z.boolean(),
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
  /** The providers with which the user signs in. Such users have no password here. */
  sso: z.array(z.string()),
  /** Two-factor sign-in with an authenticator app is set up. */
  totp: z.boolean(),
  /** How many the user has. */
  passkeys: z.int(),
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
  needsPerson: true,
  needsProof: true,
  summary: 'Add a user. The role must not exceed the permissions of the caller',
  body: EditableUser.partial()
    .extend({ username: NewUsername, password: NewPassword.optional() })
    .refine(
      ({ password, block_dashboard_login }) => password !== undefined || block_dashboard_login === true,
      {
        path: ['password'],
        error: 'A password is needed. Only users for programs have none.',
      },
    ),
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
  needsPerson: true,
  needsProof: true,
  summary:
    'Change some fields of a user; a disabled user is signed out at once. With `modified`, refused if another user has saved since',
  params: IdParams,
  body: EditableUser.partial().extend({ modified: z.string().max(200).optional() }),
  volatile: [
    'last_login',
    'last_login_ip',
    'role_name',
    'has_all_rights',
    'may_change',
    'totp',
    'passkeys',
    'sso',
  ],
  response: User,
})

export const deleteUser = endpoint({
  method: 'DELETE',
  path: '/accounts/:id/users/',
  access: 'can_manage_accounts',
  needsPerson: true,
  summary: 'Delete a user, who is signed out at once',
  params: IdParams,
  response: Nothing,
})

export const resetUserPassword = endpoint({
  method: 'POST',
  path: '/accounts/users/reset/',
  access: 'can_manage_accounts',
  needsPerson: true,
  needsProof: true,
  summary:
    "Set another user's password; ends the sessions of that user, who can be made to change it at the next sign-in",
  body: z.object({ id: Id, password: NewPassword, must_change_password: z.boolean().default(false) }),
  response: Nothing,
})

export const resetUserTotp = endpoint({
  method: 'PUT',
  path: '/accounts/users/reset_totp/',
  access: 'can_manage_accounts',
  needsPerson: true,
  needsProof: true,
  summary:
    "Reset another user's two-factor sign-in: deletes authenticator, recovery codes and passkeys; ends the sessions",
  body: z.object({ id: Id }),
  response: Nothing,
})
