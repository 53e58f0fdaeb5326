import { MAX_SIGN_INS, SignInFailure, SignInMethod, type SignInRecord } from '@muster/contract/api/sessions'
import type { Event } from '@muster/contract/events'
import type { FastifyRequest } from 'fastify'
import { sql, type SqlBool } from 'kysely'
import { z } from 'zod'
import type { Db } from '../../../platform/database/database.ts'
import { audit } from '../../audit/write-audit.ts'

interface SignInAttempt {
  /** Undefined = unknown. The name is not stored then: it may be a password in the wrong field. */
  user: { id: number; username: string } | undefined
  request: FastifyRequest
  method: SignInMethod
  /** Why it failed. */
  reason?: SignInFailure
  /** Added to the audit message. */
  more?: string
}

/** Adds a sign-in, or a failed one, to the audit log. The history of sign-ins is read from there. */
export async function auditSignIn(
  db: Db,
  { user, request, method, reason, more = '' }: SignInAttempt,
  { at, emit }: { at: Date; emit: (event: Event) => void },
): Promise<void> {
  const whom = user === undefined ? 'an unknown user' : `"${user.username}"`
  await audit(db, {
    caller: { username: user?.username ?? '', source: request.ip },
    action: reason === undefined ? 'login' : 'failed_login',
    object_type: 'user',
    message: `${reason === undefined ? SIGNED_IN : FAILED} ${whom}${more}`,
    after: { method, reason, user_agent: userAgentOf(request) } satisfies z.input<typeof Details>,
    at,
    emit,
  })
  if (user !== undefined) emit({ type: 'sign_in.added', ids: [user.id] })
}

const SIGNED_IN = 'Signed in as'
const FAILED = 'Failed to sign in as'
const MAX_USER_AGENT_LENGTH = 300

export function userAgentOf({ headers }: FastifyRequest): string {
  return (headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT_LENGTH)
}

/** Earlier versions stored none. Values that this version does not know are ignored. */
const Details = z.object({
  method: SignInMethod.nullable().catch(null),
  reason: SignInFailure.nullish().catch(null),
  user_agent: z.string().nullable().catch(null),
})

/** The latest sign-ins of a user, without those of a deleted user of the same name. */
export async function findSignIns(
  db: Db,
  { username, created_at }: { username: string; created_at: string },
): Promise<SignInRecord[]> {
  const rows = await db
    .selectFrom('audit_log')
    // Literally as in the index: parameters would keep both engines from using it.
    .where(sql<SqlBool>`action in ('login', 'failed_login')`)
    .where('username', '=', username)
    .where('entry_time', '>=', created_at)
    .where('object_type', '=', 'user')
    // A code or password that is asked for again within a session has the same actions.
    .where((eb) => eb.or([SIGNED_IN, FAILED].map((text) => eb('message', 'like', `${text} %`))))
    .select(['id', 'entry_time', 'action', 'ip_address', 'after_value'])
    .orderBy('entry_time', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_SIGN_INS)
    .execute()
  return rows.map((row) => {
    const { method, reason, user_agent } = readDetails(row.after_value)
    return {
      id: row.id,
      time: row.entry_time,
      succeeded: row.action === 'login',
      reason: reason ?? null,
      method,
      source: row.ip_address,
      user_agent,
    }
  })
}

function readDetails(text: string | null): z.output<typeof Details> {
  return Details.parse(text === null ? {} : JSON.parse(text))
}
