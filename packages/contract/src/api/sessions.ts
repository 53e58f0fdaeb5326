import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id, Instant, Nothing } from '../fields.ts'

const Username = z.string().trim().min(1, 'A user name is needed.').max(150)
const Password = z.string().min(1, 'A password is needed.').max(1024)
/** The server also refuses weak passwords. That rule is not here, because every page loads this file. */
export const NewPassword = z
  .string()
  .min(10, 'A password has at least 10 characters.')
  .max(1024, 'A password has at most 1024 characters.')
const TotpCode = z
  .string()
  .transform((code) => code.replaceAll(/\s/g, ''))
  .pipe(z.string().regex(/^\d{6}$/, 'A code has six digits.'))

/** A session as both sign-in calls return it; without a session only `totp: true` has a meaning. */
export const SignIn = z.object({
  totp: z.boolean(),
  token: z.string().optional(),
  username: z.string().optional(),
  name: z.string().nullable().optional(),
  expiry: Instant.optional(),
})
export type SignIn = z.infer<typeof SignIn>

export const checkCredentials = endpoint({
  method: 'POST',
  path: '/v2/checkcreds/',
  access: 'public',
  summary: 'First step of signing in: the password. Returns a session if the user has no TOTP yet',
  body: z.object({ username: Username, password: Password }),
  response: SignIn,
})

export const login = endpoint({
  method: 'POST',
  path: '/v2/login/',
  access: 'public',
  summary: 'Second step of signing in: password and TOTP code',
  body: z.object({ username: Username, password: Password, twofactor: TotpCode }),
  response: SignIn,
})

export const logout = endpoint({
  method: 'POST',
  path: '/logout/',
  access: 'totp-setup',
  summary: 'End this session',
  response: Nothing,
})

export const logoutAll = endpoint({
  method: 'POST',
  path: '/logoutall/',
  access: 'totp-setup',
  summary: 'End every session of the caller',
  response: Nothing,
})

export const setupTotp = endpoint({
  method: 'POST',
  path: '/accounts/users/setup_totp/',
  access: 'totp-setup',
  summary: 'Get the key for an authenticator app, until a first code has confirmed it; then false',
  response: z.union([
    z.object({ username: z.string(), totp_key: z.string(), qr_url: z.string() }),
    z.literal(false),
  ]),
})

export const confirmTotp = endpoint({
  method: 'POST',
  path: '/accounts/users/confirm_totp/',
  access: 'totp-setup',
  summary:
    'Confirm the TOTP key with a first code; ends the session, so that the next sign-in requires a code',
  body: z.object({ twofactor: TotpCode }),
  response: Nothing,
})

export const confirmSession = endpoint({
  method: 'POST',
  path: '/accounts/sessions/confirm/',
  access: 'signed-in',
  summary: 'Enter a TOTP code again, if the role requires one before a terminal or a desktop',
  body: z.object({ twofactor: TotpCode }),
  response: z.object({
    /** How long it is valid. */
    until: Instant,
  }),
})

export const Session = z.object({
  digest: z.string(),
  user: z.string(),
  created: Instant,
  expiry: Instant,
  last_used: Instant,
  source: z.string(),
  user_agent: z.string(),
  current: z.boolean(),
})
export type Session = z.infer<typeof Session>

export const listOwnSessions = endpoint({
  method: 'GET',
  path: '/accounts/sessions/',
  access: 'signed-in',
  summary: "List the caller's own sessions",
  response: z.array(Session),
})

export const listUserSessions = endpoint({
  method: 'GET',
  path: '/accounts/users/:id/sessions/',
  access: 'can_list_accounts',
  summary: 'List the sessions of a user',
  params: z.object({ id: Id }),
  response: z.array(Session),
})

export const endUserSessions = endpoint({
  method: 'DELETE',
  path: '/accounts/users/:id/sessions/',
  access: 'can_manage_accounts',
  summary: 'End every session of a user without more permissions than the caller',
  params: z.object({ id: Id }),
  response: Nothing,
})

export const endSession = endpoint({
  method: 'DELETE',
  path: '/accounts/sessions/:digest/',
  access: 'signed-in',
  summary:
    "End one of the caller's own sessions, or with can_manage_accounts one of a user without more permissions than the caller",
  params: z.object({ digest: z.string().regex(/^[0-9a-f]{64}$/) }),
  response: Nothing,
})

/** Proof that the caller owns the session: the current password, or a new TOTP code. */
const Proof = z.object({ current_password: Password.optional(), twofactor: TotpCode.optional() })
const hasProof = ({ current_password, twofactor }: z.infer<typeof Proof>) =>
  current_password !== undefined || twofactor !== undefined
const PROOF_MISSING = { path: ['current_password'], error: 'Enter your current password or a code.' }

export const resetPassword = endpoint({
  method: 'PUT',
  path: '/accounts/resetpw/',
  access: 'signed-in',
  summary: "Set the caller's own password, with the current one or a TOTP code; ends the other sessions",
  body: Proof.extend({ password: NewPassword }).refine(hasProof, PROOF_MISSING),
  response: Nothing,
})

export const resetTotp = endpoint({
  method: 'PUT',
  path: '/accounts/reset2fa/',
  access: 'signed-in',
  summary:
    "Reset the caller's own TOTP key, with the password or a code; ends the other sessions. A new key can be set up",
  body: Proof.refine(hasProof, PROOF_MISSING),
  response: Nothing,
})
