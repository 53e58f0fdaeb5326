import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id, IdParams, Instant, Nothing, OptionalEmail } from '../fields.ts'
import { NewUsername } from './accounts.ts'
import { NewPassword } from './sessions.ts'

export const INVITATION_HOURS = 48

export const Invitation = z.object({
  id: z.int(),
  /** For the list only; the user can give another one. */
  email: z.string(),
  role: z.int(),
  role_name: z.string(),
  created_by: z.string(),
  created_time: Instant,
  expires: Instant,
})
export type Invitation = z.infer<typeof Invitation>

const Token = z.string().min(1).max(200)

export const listInvitations = endpoint({
  method: 'GET',
  path: '/accounts/invitations/',
  access: 'can_list_accounts',
  summary: 'The invitations that nobody has accepted, newest first',
  response: z.array(Invitation),
})

export const createInvitation = endpoint({
  method: 'POST',
  path: '/accounts/invitations/',
  access: 'can_manage_accounts',
  needsPerson: true,
  needsProof: true,
  summary:
    'Invite a user with a role that does not exceed the permissions of the caller. The token is shown once: open `/invitation#<token>` of the console within 48 hours',
  body: z.object({ role: Id, email: OptionalEmail.default('') }),
  response: Invitation.extend({ token: z.string() }),
})

export const deleteInvitation = endpoint({
  method: 'DELETE',
  path: '/accounts/invitations/:id/',
  access: 'can_manage_accounts',
  needsPerson: true,
  summary: 'Revoke an invitation, whose link stops at once',
  params: IdParams,
  response: Nothing,
})

export const openInvitation = endpoint({
  method: 'POST',
  path: '/accounts/invitations/open/',
  access: 'public',
  withLowDisk: true,
  summary: 'Read an invitation by its token, without accepting it',
  body: z.object({ token: Token }),
  response: Invitation.pick({ created_by: true, expires: true, email: true }).extend({
    /** Characters that a new password has at least. */
    password_min_length: z.int(),
  }),
})

export const acceptInvitation = endpoint({
  method: 'POST',
  path: '/accounts/invitations/accept/',
  access: 'public',
  summary: 'Create the invited user, once. Sign in afterwards',
  body: z.object({
    token: Token,
    username: NewUsername,
    password: NewPassword,
    first_name: z.string().trim().max(150, 'A name has at most 150 characters.').default(''),
    last_name: z.string().trim().max(150, 'A name has at most 150 characters.').default(''),
  }),
  response: z.object({ username: z.string() }),
})
