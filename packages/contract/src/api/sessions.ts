import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id, Instant, Nothing } from '../fields.ts'

const Username = z.string().trim().min(1, 'A user name is needed.').max(150)
const Password = z.string().min(1, 'A password is needed.').max(1024)
/** The default, and the lowest minimum that the server can be set to. */
export const MIN_PASSWORD_CHARACTERS = 10
/** The server also refuses weak passwords. That rule is not here, because every page loads this file. */
export const NewPassword = z
  .string()
  .min(MIN_PASSWORD_CHARACTERS, `A password has at least ${MIN_PASSWORD_CHARACTERS} characters.`)
  .max(1024, 'A password has at most 1024 characters.')
const TotpCode = z
  .string()
  .transform((code) => code.replaceAll(/\s/g, ''))
  .pipe(z.string().regex(/^\d{6}$/, 'A code has six digits.'))

/** Letters and digits of recovery codes, without look-alikes. */
export const RECOVERY_CODE_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'
export const RECOVERY_CODE_LENGTH = 10
export const RECOVERY_CODE_COUNT = 10
/** A TOTP code, or a recovery code in any case, with or without hyphens. */
const SecondFactor = z
  .string()
  .max(100, 'A code has at most 100 characters.')
  .transform((code) => code.replaceAll(/[\s-]/g, '').toLowerCase())
  .pipe(
    z
      .string()
      .regex(
        new RegExp(`^(\\d{6}|[${RECOVERY_CODE_LETTERS}]{${RECOVERY_CODE_LENGTH}})$`),
        `A code has six digits. A recovery code has ${RECOVERY_CODE_LENGTH} letters and digits.`,
      ),
  )
/** Shown once, in groups: `abcde-fghjk`. */
const RecoveryCodes = z.object({ recovery_codes: z.array(z.string()) })

/** Options of `navigator.credentials.get()` as JSON. */
export const PasskeyRequest = z.object({
  challenge: z.string(),
  rpId: z.string(),
  timeout: z.int(),
  userVerification: z.enum(['required', 'preferred']),
  /** Empty = any passkey of this server. */
  allowCredentials: z.array(
    z.object({ id: z.string(), type: z.literal('public-key'), transports: z.array(z.string()) }),
  ),
})
export type PasskeyRequest = z.infer<typeof PasskeyRequest>

/** A session as all sign-in calls return it; without a session only `totp: true` and `passkey` have a meaning. */
export const SignIn = z.object({
  /** A second factor was used, or is needed. */
  totp: z.boolean(),
  /** The password was right, and one of these passkeys signs in. */
  passkey: z
    .object({
      request: PasskeyRequest,
      /** A code signs in too. */
      or_code: z.boolean(),
    })
    .optional(),
  token: z.string().optional(),
  username: z.string().optional(),
  name: z.string().nullable().optional(),
  expiry: Instant.optional(),
  /** Unused recovery codes, after a sign-in with one. */
  recovery_codes_left: z.int().optional(),
  /** The session can do nothing else before the password is changed. */
  must_change_password: z.boolean().optional(),
})
export type SignIn = z.infer<typeof SignIn>

export const checkCredentials = endpoint({
  method: 'POST',
  path: '/v2/checkcreds/',
  access: 'public',
  withLowDisk: true,
  summary: 'First step of signing in: the password. Returns a session if the user has no second factor',
  body: z.object({ username: Username, password: Password }),
  response: SignIn,
})

export const login = endpoint({
  method: 'POST',
  path: '/v2/login/',
  access: 'public',
  withLowDisk: true,
  summary: 'Second step of signing in: password, and a TOTP code or an unused recovery code',
  body: z.object({ username: Username, password: Password, twofactor: SecondFactor }),
  response: SignIn,
})

export const logout = endpoint({
  method: 'POST',
  path: '/logout/',
  access: 'any-session',
  withLowDisk: true,
  needsPerson: true,
  summary: 'End this session',
  response: Nothing,
})

export const logoutAll = endpoint({
  method: 'POST',
  path: '/logoutall/',
  access: 'any-session',
  withLowDisk: true,
  needsPerson: true,
  summary: 'End every session of the caller',
  response: Nothing,
})

export const setupTotp = endpoint({
  method: 'POST',
  path: '/accounts/users/setup_totp/',
  access: 'totp-setup',
  withLowDisk: true,
  needsPerson: true,
  needsProof: true,
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
  withLowDisk: true,
  needsPerson: true,
  needsProof: true,
  summary:
    'Confirm the TOTP key with a first code; returns recovery codes, which are shown once, and ends the other sessions',
  body: z.object({ twofactor: TotpCode }),
  response: RecoveryCodes,
})

export const createRecoveryCodes = endpoint({
  method: 'POST',
  path: '/accounts/recovery_codes/',
  access: 'signed-in',
  needsPerson: true,
  summary: 'Replace the recovery codes of the caller, with the current password; they are shown once',
  body: z.object({ current_password: Password }),
  response: RecoveryCodes,
})

/** Proof that the caller owns the session: the current password, or a new TOTP code. */
const Proof = z.object({ current_password: Password.optional(), twofactor: TotpCode.optional() })
const hasProof = ({ current_password, twofactor }: z.infer<typeof Proof>) =>
  current_password !== undefined || twofactor !== undefined
const PROOF_MISSING = { path: ['current_password'], error: 'Enter your current password or a code.' }
export const OwnerProof = Proof.refine(hasProof, PROOF_MISSING)
export type OwnerProof = z.infer<typeof OwnerProof>

export const confirmSession = endpoint({
  method: 'POST',
  path: '/accounts/sessions/confirm/',
  // Also before the set-up of a second factor, which needs a proof.
  access: 'totp-setup',
  withLowDisk: true,
  needsPerson: true,
  summary:
    'Confirm who you are in this session, with the password or a TOTP code. Only a code serves where the role requires one before remote tools',
  body: OwnerProof,
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

export const SignInMethod = z.enum(['password', 'code', 'recovery_code', 'passkey', 'provider'])
export type SignInMethod = z.infer<typeof SignInMethod>

export const SignInFailure = z.enum([
  'wrong_password',
  'wrong_code',
  'used_code',
  /** Or a used one. */
  'wrong_recovery_code',
  'wrong_passkey',
  /** Its counter went back: a copy of it exists. */
  'copied_passkey',
  'blocked',
  'programs_only',
  'superusers_only',
])
export type SignInFailure = z.infer<typeof SignInFailure>

/** A sign-in, or a failed one. What earlier versions did not record is null. */
export const SignInRecord = z.object({
  id: z.int(),
  time: Instant,
  succeeded: z.boolean(),
  reason: SignInFailure.nullable(),
  method: SignInMethod.nullable(),
  source: z.string(),
  user_agent: z.string().nullable(),
})
export type SignInRecord = z.infer<typeof SignInRecord>

export const MAX_SIGN_INS = 100

export const listOwnSignIns = endpoint({
  method: 'GET',
  path: '/accounts/sign-ins/',
  access: 'signed-in',
  summary: `The latest ${MAX_SIGN_INS} sign-ins of the caller, failed ones too, latest first`,
  response: z.array(SignInRecord),
})

export const listUserSignIns = endpoint({
  method: 'GET',
  path: '/accounts/users/:id/sign-ins/',
  access: 'can_manage_accounts',
  summary: `The latest ${MAX_SIGN_INS} sign-ins of a user, failed ones too; those of superusers for superusers only`,
  params: z.object({ id: Id }),
  response: z.array(SignInRecord),
})

export const endUserSessions = endpoint({
  method: 'DELETE',
  path: '/accounts/users/:id/sessions/',
  access: 'can_manage_accounts',
  needsPerson: true,
  summary: 'End every session of a user without more permissions than the caller',
  params: z.object({ id: Id }),
  response: Nothing,
})

export const endSession = endpoint({
  method: 'DELETE',
  path: '/accounts/sessions/:digest/',
  access: 'signed-in',
  needsPerson: true,
  summary:
    "End one of the caller's own sessions, or with can_manage_accounts one of a user without more permissions than the caller",
  params: z.object({ digest: z.string().regex(/^[0-9a-f]{64}$/) }),
  response: Nothing,
})

export const resetPassword = endpoint({
  method: 'PUT',
  path: '/accounts/resetpw/',
  access: 'password-change',
  withLowDisk: true,
  needsPerson: true,
  summary: "Set the caller's own password, with the current one or a TOTP code; ends the other sessions",
  body: Proof.extend({ password: NewPassword }).refine(hasProof, PROOF_MISSING),
  response: Nothing,
})

export const resetTotp = endpoint({
  method: 'PUT',
  path: '/accounts/reset2fa/',
  access: 'signed-in',
  needsPerson: true,
  summary:
    "Reset the caller's own TOTP key, with the password or a code; ends the other sessions. A new key can be set up",
  body: OwnerProof,
  response: Nothing,
})
