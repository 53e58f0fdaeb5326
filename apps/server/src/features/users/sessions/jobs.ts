import type { Context } from '../../../context.ts'
import type { Job } from '../../../platform/jobs/run-job.ts'
import { everyMinute } from '../../../platform/jobs/schedule.ts'
import { GRACE_MINUTES } from './session-cookies.ts'
import { RESET_HOURS } from './throttle.ts'

const IDEMPOTENCY_KEPT_HOURS = 24
const HOUR_MS = 3_600_000
/** Until then an expired link can say that it has expired. */
const INVITATION_KEPT_DAYS = 30

/** Deletes expired sessions, tickets, throttles, unfinished sign-ins and stored responses. */
export function sessionJobs(ctx: Context): Job[] {
  return [{ name: 'sessions.remove-expired', schedule: everyMinute, run: () => removeExpired(ctx) }]
}

async function removeExpired(ctx: Context): Promise<void> {
  const ago = (ms: number) => new Date(ctx.now().getTime() - ms).toISOString()
  await ctx.transaction(async (tx, emit) => {
    const ended = await tx
      .deleteFrom('sessions')
      .where('expires_at', '<=', ago(GRACE_MINUTES * 60_000))
      .returning('digest')
      .execute()
    if (ended.length > 0) emit({ type: 'session.ended', ids: ended.map(({ digest }) => digest) })
    await tx
      .deleteFrom('invitations')
      .where('expires_at', '<=', ago(INVITATION_KEPT_DAYS * 24 * HOUR_MS))
      .execute()
    await tx.deleteFrom('sso_attempts').where('expires_at', '<=', ago(0)).execute()
    await tx.deleteFrom('passkey_challenges').where('expires_at', '<=', ago(0)).execute()
    await tx.deleteFrom('socket_tickets').where('expires_at', '<=', ago(0)).execute()
    await tx
      .deleteFrom('throttles')
      .where('last_failure_at', '<=', ago(RESET_HOURS * HOUR_MS))
      .execute()
    await tx
      .deleteFrom('idempotency_keys')
      .where('created_at', '<=', ago(IDEMPOTENCY_KEPT_HOURS * HOUR_MS))
      .execute()
  })
}
