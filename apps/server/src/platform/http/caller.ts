import type { Permission } from '@muster/contract/permissions'

/** Which clients and sites a caller sees. A client in the list brings all its sites. */
export type Scope = { all: true } | { all: false; clientIds: number[]; siteIds: number[] }

/** Who makes a request, with what that person may do. */
export interface Caller {
  userId: number
  username: string
  name: string | null
  isSuperuser: boolean
  permissions: ReadonlySet<Permission>
  scope: Scope
  /** Absent for callers that hold an API key. */
  session: CallerSession | undefined
  source: string
}

export interface CallerSession {
  digest: string
  expiresAt: string
  /** Past its end, within the grace in which only reads answer. */
  inGrace: boolean
  /** TOTP must be set up before anything else. */
  totpPending: boolean
  /** The second factor, as far as it is asked for again. */
  code: {
    /** The role asks for one before a terminal or a desktop. */
    isAsked: boolean
    hasTotp: boolean
    /** When this session last gave one. */
    at: string | null
  }
}

/** A caller with a session, as every one is that holds a ticket. */
export type LiveCaller = Caller & { session: CallerSession }

export function mayDo(caller: Caller, permission: Permission): boolean {
  return caller.isSuperuser || caller.permissions.has(permission)
}
