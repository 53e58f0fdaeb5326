import type { Permission } from '@muster/contract/permissions'
import { AppError } from '@muster/contract/errors'

/** Clients and sites within a caller's scope. A listed client includes all of its sites. */
export type Scope = { all: true } | { all: false; clientIds: number[]; siteIds: number[] }

/** The user behind a request, with their rights. */
export interface Caller {
  userId: number
  username: string
  name: string | null
  isSuperuser: boolean
  permissions: ReadonlySet<Permission>
  scope: Scope
  /** Absent for callers with an API key. */
  session: CallerSession | undefined
  source: string
}

export interface CallerSession {
  digest: string
  expiresAt: string
  /** Expired, but within the grace period for reads. */
  inGrace: boolean
  /** TOTP must be set up before anything else. */
  totpPending: boolean
  /** The second factor, if it is required again. */
  code: {
    /** The role requires it before a terminal or a desktop. */
    isAsked: boolean
    hasTotp: boolean
    /** When this session last passed one. */
    at: string | null
  }
}

/** A caller with a session, which every holder of a ticket has. */
export type LiveCaller = Caller & { session: CallerSession }

export function mayDo(caller: Caller, permission: Permission): boolean {
  return caller.isSuperuser || caller.permissions.has(permission)
}

/** Refuses callers with a limited scope, because the change affects every client. */
export function refuseLimited({ scope }: Pick<Caller, 'scope'>, what: string): void {
  if (scope.all) return
  throw new AppError(
    'not_allowed',
    `${what} may affect every client, and your role is limited to some of them. Ask an administrator.`,
  )
}
