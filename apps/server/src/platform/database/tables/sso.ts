import type { Generated } from 'kysely'

export interface SsoProvidersTable {
  id: Generated<number>
  name: string
  issuer: string
  client_id: string
  /** Encrypted. NULL = a client without a secret. */
  secret: string | null
  scope: string
  /** The role that new users without a role by claim get; NULL = they are refused. */
  role_id: number | null
  /** Empty = roles are set by administrators. */
  role_claim: string
  link_by_email: 0 | 1
  sign_out: 0 | 1
  modified: string
}

/** The role of users whose claim has the value. The lowest position wins. */
export interface SsoProviderRolesTable {
  provider_id: number
  position: number
  value: string
  role_id: number
}

/** An account at a provider, which signs a user in. */
export interface SsoAccountsTable {
  id: Generated<number>
  provider_id: number
  user_id: number
  /** That of the ID token: a provider with another issuer has other accounts. */
  issuer: string
  subject: string
  display: string
  created_at: string
  last_login: string
}

/** A sign-in between its start and its end. Each ends once. */
export interface SsoAttemptsTable {
  /** hex sha256 of the state. */
  digest: string
  provider_id: number
  /** hex sha256 of the cookie of the browser that started it. */
  browser_digest: string
  /** Encrypted JSON of code verifier, nonce and callback URL. */
  sealed: string
  /** The network that started it. */
  source: string
  expires_at: string
}
