import type { Generated } from 'kysely'

export interface UsersTable {
  id: Generated<number>
  /** Lower case. Names are case-insensitive. */
  username: string
  password_hash: string
  /** Sessions opened since then must change the password first. NULL = none must. */
  must_change_password_since: string | null
  first_name: Generated<string>
  last_name: Generated<string>
  email: Generated<string>
  role_id: number | null
  is_superuser: 0 | 1
  is_active: Generated<0 | 1>
  /** 1 = for programs only: API keys work, sign-in does not. */
  block_dashboard_login: Generated<0 | 1>
  /** Encrypted. Set when the set-up page is first opened. */
  totp_key: string | null
  totp_confirmed: Generated<0 | 1>
  /** The last accepted 30-second step. A code works once. */
  totp_last_step: number | null
  last_login: string | null
  last_login_source: string | null
  /** JSON of the contract's Preferences, without defaults. */
  preferences: Generated<string>
  created_at: string
}

/** Unused codes. A used one is deleted. */
export interface RecoveryCodesTable {
  user_id: number
  /** `Secrets.deriveToken` of user and code. */
  digest: string
}

export interface PasskeysTable {
  id: Generated<number>
  user_id: number
  /** base64url. */
  credential_id: string
  /** base64url of the COSE key. */
  public_key: string
  /** The last signature counter; many authenticators stay at 0. */
  counter: number
  /** JSON list of texts, for the browser. */
  transports: string
  /** Its password manager keeps a copy on other devices. */
  backed_up: 0 | 1
  /** The host name (RP id) to which browsers bind it. */
  host: string
  name: string
  created_at: string
  last_used_at: string | null
}

/** A value for a passkey to sign. Each counts once. */
export interface PasskeyChallengesTable {
  /** hex sha256. */
  digest: string
  kind: 'add' | 'sign_in' | 'second_factor'
  /** The owner of the passkey. NULL = any user. */
  user_id: number | null
  /** The network that started it. */
  source: string
  expires_at: string
}

export interface RolesTable {
  id: Generated<number>
  name: string
  is_superuser: Generated<0 | 1>
  /** JSON list of permission names. */
  permissions: Generated<string>
  totp_required: Generated<0 | 1>
  /** 1 = requires a new code before opening a terminal or a desktop. */
  require_2fa_for_remote: Generated<0 | 1>
  /** Jobs on more machines than this need another person's approval; null = none does. */
  approve_jobs_over: number | null
  /** JSON list of `JobActionType`: jobs with these actions always need another person's approval. */
  approve_job_actions: Generated<string>
  /** The contract's BuiltInRole. NULL = made by a user. */
  built_in: string | null
}

/** A role with no row here and none in role_sites has access to every client. */
export interface RoleClientsTable {
  role_id: number
  client_id: number
}

export interface RoleSitesTable {
  role_id: number
  site_id: number
}

export interface ApiKeysTable {
  id: Generated<number>
  name: string
  user_id: number
  /** hex sha256. */
  digest: string
  /** The replaced key, which works until `old_until`. */
  old_digest: string | null
  old_until: string | null
  /** Narrows the rights of the owner. */
  role_id: number | null
  /** 1 = sees only the clients in api_key_clients, possibly none. */
  is_limited: Generated<0 | 1>
  /** JSON list of addresses and CIDR networks; empty = any. */
  allowed_addresses: Generated<string>
  expires_at: string | null
  last_used_at: string | null
  last_used_source: string | null
  created_at: string
}

export interface ApiKeyClientsTable {
  api_key_id: number
  client_id: number
}

/** An accepted or revoked invitation is deleted. */
export interface InvitationsTable {
  id: Generated<number>
  /** hex sha256 of the token in the link. */
  digest: string
  email: string
  role_id: number
  /** The inviter. */
  user_id: number
  created_at: string
  expires_at: string
}

export interface SessionsTable {
  /** hex sha256 of the token. */
  digest: string
  user_id: number
  /** hex sha256 of the HttpOnly cookie set at sign-in. */
  cookie_digest: string
  created_at: string
  expires_at: string
  last_used_at: string
  source: string
  user_agent: string
  /** When it last passed a TOTP code, or was opened by a provider. NULL = never. */
  code_at: string | null
  /** When it was opened, or its user last gave the password or a code. NULL = an earlier version opened it. */
  proved_at: string | null
  /** The account at a provider that opened it. NULL = a password did. */
  sso_account_id: number | null
  /** Encrypted ID token of the provider, for signing out there. */
  id_token: string | null
}

/** A browser in which a user gets alerts as push notifications. */
export interface PushSubscriptionsTable {
  id: Generated<number>
  user_id: number
  /** The session in which it was last turned on. It stays when the session expires, and goes when the session is ended. */
  session_digest: string
  /** hex sha256 of the endpoint. */
  digest: string
  /** Encrypted JSON of endpoint and keys: who has them can write to the browser. */
  sealed: string
  created_at: string
}

/** Failed attempts of one account or one source address. */
export interface ThrottlesTable {
  /** `account:ada` or `source:127.0.0.1`. */
  key: string
  failures: number
  last_failure_at: string
  blocked_until: string | null
}

export interface SocketTicketsTable {
  digest: string
  session_digest: string
  expires_at: string
}

/** The response to a request with an Idempotency-Key. */
export interface IdempotencyKeysTable {
  /** `{user id}:{method} {path}:{key}`. */
  id: string
  request_digest: string
  status: number | null
  response: string | null
  created_at: string
}
