/** Error codes with their HTTP status. */
export const ERROR_STATUS = {
  invalid: 400,
  bad_credentials: 400,
  not_signed_in: 401,
  session_expired: 401,
  not_allowed: 403,
  totp_required: 403,
  password_change_required: 403,
  /** A new code of the authenticator app is required first. */
  code_needed: 403,
  /** The password or a code is required first: `needsProof` of the endpoint. */
  proof_needed: 403,
  bad_origin: 403,
  bad_xsrf: 403,
  setup_closed: 403,
  enrolment_refused: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  changed_meanwhile: 409,
  agent_offline: 409,
  agent_refused: 409,
  client_not_empty: 409,
  already_finished: 409,
  /** A setting of the server has to allow it first. */
  switched_off: 412,
  too_large: 413,
  /** A WebSocket was requested without an upgrade: a proxy in between removed it. */
  upgrade_required: 426,
  too_many_requests: 429,
  internal: 500,
  unavailable: 503,
  /** The server is read-only until its disk has room. */
  disk_full: 507,
} as const

/** The server's page with settings of proxies that pass WebSockets. */
export const PROXY_GUIDE_PATH = '/docs/reverse-proxy/'

export type ErrorCode = keyof typeof ERROR_STATUS

/** An expected failure: `code` is for programs, the message is for users. */
export class AppError extends Error {
  override name = 'AppError'
  code: ErrorCode
  fields: Record<string, string[]> | undefined
  retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    more: { fields?: Record<string, string[]>; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.code = code
    this.fields = more.fields
    this.retryAfterSeconds = more.retryAfterSeconds
  }
}
