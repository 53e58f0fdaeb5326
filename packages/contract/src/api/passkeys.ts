import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id, IdParams, Instant, Nothing } from '../fields.ts'
import { OwnerProof, PasskeyRequest, SignIn } from './sessions.ts'

/** Passkeys of one user. */
export const MAX_PASSKEYS = 20
const PasskeyName = z.string().trim().min(1, 'Enter a name.').max(60, 'A name has at most 60 characters.')

export const Passkey = z.object({
  id: z.int(),
  name: z.string(),
  /** The host name of the server at which it works. */
  host: z.string(),
  /** Its password manager keeps a copy on other devices. */
  backed_up: z.boolean(),
  created: Instant,
  last_used: Instant.nullable(),
})
export type Passkey = z.infer<typeof Passkey>

export const listOwnPasskeys = endpoint({
  method: 'GET',
  path: '/accounts/passkeys/',
  access: 'signed-in',
  summary: "List the caller's own passkeys",
  response: z.array(Passkey),
})

/** Options of `navigator.credentials.create()` as JSON. */
export const PasskeyCreation = z.object({
  challenge: z.string(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
  timeout: z.int(),
  excludeCredentials: PasskeyRequest.shape.allowCredentials,
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
  attestation: z.literal('none'),
})
export type PasskeyCreation = z.infer<typeof PasskeyCreation>

export const startPasskey = endpoint({
  method: 'POST',
  path: '/accounts/passkeys/start/',
  access: 'totp-setup',
  needsPerson: true,
  summary: 'Start adding a passkey, with the password or a TOTP code: returns what the browser needs',
  body: OwnerProof,
  response: PasskeyCreation,
})

const base64url = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^[\w-]+$/, 'Use base64url.')
/** At most 1,023 bytes. */
const CredentialId = base64url(1364)
const ClientData = base64url(4000)
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const

export const addPasskey = endpoint({
  method: 'POST',
  path: '/accounts/passkeys/',
  access: 'totp-setup',
  needsPerson: true,
  summary: 'Add the passkey that the browser created. The first second factor ends the other sessions',
  body: z.object({
    name: PasskeyName,
    id: CredentialId,
    client_data: ClientData,
    attestation: base64url(20_000),
    transports: z.array(z.enum(TRANSPORTS)).max(TRANSPORTS.length),
  }),
  response: Passkey,
})

export const renamePasskey = endpoint({
  method: 'PUT',
  path: '/accounts/passkeys/:id/',
  access: 'signed-in',
  needsPerson: true,
  summary: "Rename one of the caller's own passkeys",
  params: IdParams,
  body: z.object({ name: PasskeyName }),
  response: Passkey,
})

export const deletePasskey = endpoint({
  method: 'POST',
  path: '/accounts/passkeys/:id/delete/',
  access: 'signed-in',
  needsPerson: true,
  summary:
    "Delete one of the caller's own passkeys, with the password or a TOTP code; ends the other sessions",
  params: IdParams,
  body: OwnerProof,
  response: Nothing,
})

export const listUserPasskeys = endpoint({
  method: 'GET',
  path: '/accounts/users/:id/passkeys/',
  access: 'can_list_accounts',
  summary: 'List the passkeys of a user; those of superusers for superusers only',
  params: IdParams,
  response: z.array(Passkey),
})

export const deleteUserPasskey = endpoint({
  method: 'DELETE',
  path: '/accounts/users/:id/passkeys/:passkey_id/',
  access: 'can_manage_accounts',
  needsPerson: true,
  needsProof: true,
  summary: "Delete another user's passkey; ends the sessions of that user",
  params: IdParams.extend({ passkey_id: Id }),
  response: Nothing,
})

export const startPasskeySignIn = endpoint({
  method: 'POST',
  path: '/accounts/passkeys/sign-in/start/',
  access: 'public',
  withLowDisk: true,
  summary: 'Start a sign-in with a passkey, without a user name: returns what the browser needs',
  response: PasskeyRequest,
})

export const signInWithPasskey = endpoint({
  method: 'POST',
  path: '/accounts/passkeys/sign-in/',
  access: 'public',
  withLowDisk: true,
  summary: 'Sign in with a passkey, alone or after the password. Each challenge works once',
  body: z.object({
    id: CredentialId,
    client_data: ClientData,
    authenticator_data: base64url(4000),
    signature: base64url(4000),
    user_handle: base64url(100).optional(),
  }),
  response: SignIn,
})
