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
  /** The API key of a program that acts for the user. */
  apiKey?: CallerKey | undefined
  source: string
}

export interface CallerSession {
  digest: string
  expiresAt: string
  /** Expired, but within the grace period for reads. */
  inGrace: boolean
  /** The step that comes before anything else: a password change, then the set-up of a second factor. */
  pending: 'password' | 'totp' | undefined
  /** Its user signed in, or gave the password or a code, within the last PROOF_MINUTES. */
  isProved: boolean
  /** The second factor, if it is required again. */
  code: {
    /** The role requires it before a terminal or a desktop. */
    isAsked: boolean
    hasTotp: boolean
    hasPasskey: boolean
    /** A provider opened the session, which counts as the code. */
    isByProvider: boolean
    /** When this session last passed one. */
    at: string | null
  }
}

export interface CallerKey {
  id: number
  name: string
  /** It has fewer rights than its owner. */
  isNarrowed: boolean
  /** The role that narrows it. */
  roleId: number | null
  /** A role requires a code before remote tools, and keys cannot give one. */
  needsCode: boolean
}

/** A caller with a session, which every holder of a ticket has. */
export type LiveCaller = Caller & { session: CallerSession }

/** Refuses sessions whose user must do something else first. */
export function refusePending({ session }: Pick<Caller, 'session'>): void {
  if (session?.pending === 'password')
    throw new AppError('password_change_required', 'Change your password before anything else.')
  if (session?.pending === 'totp')
    throw new AppError('totp_required', 'Set up two-factor sign-in before anything else.')
}

/** How long a sign-in, a password or a code proves who uses the session. */
export const PROOF_MINUTES = 15

/** Refuses a session that may be in other hands by now. API keys have none. */
export function refuseUnproved({ session }: Pick<Caller, 'session'>): void {
  if (session === undefined || session.isProved) return
  throw new AppError('proof_needed', `Confirm who you are first${howToProve(session)}`)
}

function howToProve({ code }: CallerSession): string {
  if (code.isByProvider) return ': sign in with your provider again.'
  return code.hasTotp ? ', with your password or a code.' : ', with your password.'
}

export function mayDo(caller: Caller, permission: Permission): boolean {
  return caller.isSuperuser || caller.permissions.has(permission)
}

/** The user whose role opens keys of the key store to later runs. Null = only unrestricted keys. */
export function authorOf({
  userId,
  apiKey,
}: { userId: number | null } & Pick<Caller, 'apiKey'>): number | null {
  return apiKey?.isNarrowed === true ? null : userId
}

/** Refuses callers with a limited scope, because the change affects every client. */
export function refuseLimited({ scope }: Pick<Caller, 'scope'>, what: string): void {
  if (scope.all) return
  throw new AppError(
    'not_allowed',
    `${what} may affect every client, and your role is limited to some of them. Ask an administrator.`,
  )
}
