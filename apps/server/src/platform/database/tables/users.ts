import type { Generated } from 'kysely'

export interface UsersTable {
  id: Generated<number>
  /** Lower case. Names are case-insensitive. */
  username: string
  password_hash: string
  first_name: Generated<string>
  last_name: Generated<string>
  email: Generated<string>
  role_id: number | null
  is_superuser: 0 | 1
  is_active: Generated<0 | 1>
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

export interface RolesTable {
  id: Generated<number>
  name: string
  is_superuser: Generated<0 | 1>
  /** JSON list of permission names. */
  permissions: Generated<string>
  totp_required: Generated<0 | 1>
  /** 1 = requires a new code before opening a terminal or a desktop. */
  require_2fa_for_remote: Generated<0 | 1>
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
  /** When it last passed a TOTP code. NULL = never. */
  code_at: string | null
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
