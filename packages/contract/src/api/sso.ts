import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id, IdParams, Instant, Nothing } from '../fields.ts'
import { SignIn } from './sessions.ts'

/** The page of the console to which providers return. */
export const SSO_CALLBACK_PATH = '/account/provider/callback'
export const DEFAULT_SSO_SCOPE = 'openid email profile'

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Providers sign users in, so plain HTTP is for tests on the same machine. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  if (username !== '' || password !== '' || search !== '' || hash !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOST.test(hostname))
}

const ProviderName = z
  .string()
  .trim()
  .min(1, 'Enter a name.')
  .max(40, 'A name has at most 40 characters.')
  .regex(/^[A-Za-z0-9_-]+$/, 'Use letters, digits, - and _ only.')

const RoleOfClaim = z.object({
  /** A value of the claim. */
  value: z.string().trim().min(1, 'Enter a value.').max(300, 'A value has at most 300 characters.'),
  role: Id,
})

const Editable = {
  /** The issuer, without `/.well-known/openid-configuration`. */
  server_url: z
    .string()
    .trim()
    .max(2000, 'A URL has at most 2,000 characters.')
    .refine(isIssuer, 'Enter the issuer URL. It starts with https://.'),
  client_id: z.string().trim().min(1, 'Enter a client ID.').max(500, 'At most 500 characters.'),
  scope: z
    .string()
    .trim()
    .max(500, 'At most 500 characters.')
    .regex(/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/, 'Separate scopes with one space.')
    .refine((text) => text.split(' ').includes('openid'), 'The scope "openid" is needed.'),
  /** The role that new users without a role by claim get; null = they are refused. */
  role: Id.nullable(),
  /** The claim with roles or groups, such as `groups` or `realm_access.roles`; empty = roles are set here. */
  role_claim: z.string().trim().max(200, 'A claim has at most 200 characters.'),
  /** The first match decides, at each sign-in. */
  role_map: z
    .array(RoleOfClaim)
    .max(100, 'At most 100 values.')
    .refine(
      (rows) => new Set(rows.map(({ value }) => value)).size === rows.length,
      'A value is named twice.',
    ),
  /** Connects an existing user with the same verified e-mail address. Superusers are never connected. */
  link_by_email: z.boolean(),
  /** Signing out here also signs out at the provider. */
  sign_out: z.boolean(),
}

/** Empty = a client without a secret. */
const Secret = z.string().trim().max(2000, 'A secret has at most 2,000 characters.')

export const SsoProvider = z.object({
  ...Editable,
  id: z.int(),
  name: z.string(),
  role: z.int().nullable(),
  has_secret: z.boolean(),
  /** To be allowed at the provider. */
  callback_url: z.string(),
  javascript_origin_url: z.string(),
  /** How many users have an account of this provider. */
  users: z.int(),
  modified: z.string(),
})
export type SsoProvider = z.infer<typeof SsoProvider>

const { server_url, client_id, ...Optional } = Editable
export const SsoProviderForm = z.object({ name: ProviderName, secret: Secret, ...Editable })
export type SsoProviderForm = z.infer<typeof SsoProviderForm>

export const listSsoProviders = endpoint({
  method: 'GET',
  path: '/accounts/ssoproviders/',
  access: 'can_list_accounts',
  summary: 'List the sign-in providers by name',
  response: z.array(SsoProvider),
})

export const createSsoProvider = endpoint({
  method: 'POST',
  path: '/accounts/ssoproviders/',
  access: 'can_manage_accounts',
  needsPerson: true,
  needsProof: true,
  summary: 'Add a sign-in provider, which must respond. Superusers only',
  body: z.object({
    name: ProviderName,
    server_url,
    client_id,
    secret: Secret.default(''),
    ...z.object(Optional).partial().shape,
  }),
  response: SsoProvider,
})

export const editSsoProvider = endpoint({
  method: 'PUT',
  path: '/accounts/ssoproviders/:id/',
  access: 'can_manage_accounts',
  needsPerson: true,
  needsProof: true,
  summary:
    'Change a sign-in provider; without `secret` it stays. With `modified`, refused if another user has saved since. Superusers only',
  params: IdParams,
  body: z
    .object({ ...Editable, secret: Secret })
    .partial()
    .extend({ modified: z.string().optional() }),
  volatile: ['users', 'callback_url', 'javascript_origin_url'],
  response: SsoProvider,
})

export const deleteSsoProvider = endpoint({
  method: 'DELETE',
  path: '/accounts/ssoproviders/:id/',
  access: 'can_manage_accounts',
  needsPerson: true,
  summary: 'Delete a sign-in provider; ends the sessions that were opened with it. Superusers only',
  params: IdParams,
  response: Nothing,
})

export const SsoAccount = z.object({
  id: z.int(),
  provider: z.string(),
  /** E-mail address or name at the provider. */
  display: z.string(),
  subject: z.string(),
  joined: Instant,
  last_login: Instant,
})
export type SsoAccount = z.infer<typeof SsoAccount>

export const listSsoAccounts = endpoint({
  method: 'GET',
  path: '/accounts/users/:id/ssoaccounts/',
  access: 'can_list_accounts',
  summary: 'List the accounts at providers with which a user signs in',
  params: IdParams,
  response: z.array(SsoAccount),
})

export const deleteSsoAccount = endpoint({
  method: 'DELETE',
  path: '/accounts/users/:id/ssoaccounts/:account_id/',
  access: 'can_manage_accounts',
  needsPerson: true,
  summary:
    'Disconnect a user from an account at a provider; ends the sessions that were opened with it. Without any account, the user needs a new password',
  params: IdParams.extend({ account_id: Id }),
  response: Nothing,
})

export const getSsoSignIn = endpoint({
  method: 'GET',
  path: '/accounts/sso/',
  access: 'public',
  summary: 'List the providers that the sign-in page offers',
  response: z.object({ providers: z.array(z.object({ name: z.string() })) }),
})

export const startSsoSignIn = endpoint({
  method: 'POST',
  path: '/accounts/sso/start/',
  access: 'public',
  summary: 'Start a sign-in with a provider: returns the address to open, and binds it to this browser',
  body: z.object({ provider: z.string().max(100) }),
  response: z.object({ url: z.string() }),
})

export const finishSsoSignIn = endpoint({
  method: 'POST',
  path: '/accounts/sso/finish/',
  access: 'public',
  summary: 'Finish a sign-in with the query that the provider returned. Each query works once',
  body: z.object({ query: z.string().max(10_000) }),
  response: SignIn.extend({ provider: z.string() }),
})

export const getSsoSignOut = endpoint({
  method: 'GET',
  path: '/accounts/sso/sign-out/',
  access: 'any-session',
  needsPerson: true,
  summary: 'Get the address that signs out at the provider of this session; null = none',
  response: z.object({ url: z.string().nullable() }),
})
