import { AppError } from '@muster/contract/errors'
import { sql } from 'kysely'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import { networkOf } from '../../../platform/http/sign-in-gate.ts'

/**
 * Slows down guessing. Failures are counted per account name (existing or not) and per source address. From the fifth
 * on, each one doubles the time without any attempt, up to a cap, so that nobody can lock an account forever. A known
 * browser of the account has its own counter: failures of strangers do not lock its owner out.
 */
export interface ThrottleKeys {
  /** `account:ada`, or `device:...` in a known browser. */
  account: string
  /** `source:192.0.2.7`. Absent in a known browser. */
  source: string | undefined
}

const FREE_FAILURES = 4
const FIRST_DELAY_SECONDS = 2
const MAX_DELAY_SECONDS = 15 * 60
/** Failures are forgotten after this time without another one. */
export const RESET_HOURS = 24

export function delaySeconds(failures: number): number {
  if (failures <= FREE_FAILURES) return 0
  return Math.min(FIRST_DELAY_SECONDS * 2 ** (failures - FREE_FAILURES - 1), MAX_DELAY_SECONDS)
}

export function throttleKeys(username: string, source: string, deviceId: string | undefined): ThrottleKeys {
  if (deviceId !== undefined) return { account: `device:${deviceId}`, source: undefined }
  return { account: `account:${username}`, source: `source:${networkOf(source)}` }
}

export function keyList(keys: ThrottleKeys): string[] {
  return keys.source === undefined ? [keys.account] : [keys.account, keys.source]
}

export async function refuseWhileBlocked(ctx: Context, keys: ThrottleKeys): Promise<void> {
  const now = ctx.now()
  const row = await ctx.db
    .selectFrom('throttles')
    .where('key', 'in', keyList(keys))
    .where('blocked_until', '>', now.toISOString())
    .select((eb) => eb.fn.max('blocked_until').as('until'))
    .executeTakeFirst()
  if (row?.until == null) return
  const seconds = Math.max(1, Math.ceil((Date.parse(row.until) - now.getTime()) / 1000))
  throw new AppError('too_many_requests', `Too many failed attempts. Try again in ${formatWait(seconds)}.`, {
    retryAfterSeconds: seconds,
  })
}

export async function countFailure(ctx: Context, keys: ThrottleKeys): Promise<void> {
  const now = ctx.now()
  const forgotten = new Date(now.getTime() - RESET_HOURS * 3_600_000).toISOString()
  for (const key of keyList(keys)) {
    const { failures } = await ctx.db
      .insertInto('throttles')
      .values({ key, failures: 1, last_failure_at: now.toISOString(), blocked_until: null })
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet({
          failures: sql<number>`case when throttles.last_failure_at < ${forgotten} then 1 else throttles.failures + 1 end`,
          last_failure_at: now.toISOString(),
        }),
      )
      .returning('failures')
      .executeTakeFirstOrThrow()
    await setBlock(ctx.db, { key, failures, now })
  }
}

/** After a sign-in: resets the account, and removes its failures from the source. */
export async function forgiveFailures(db: Db, keys: ThrottleKeys, now: Date): Promise<void> {
  const account = await db
    .deleteFrom('throttles')
    .where('key', '=', keys.account)
    .returning('failures')
    .executeTakeFirst()
  if (account === undefined || keys.source === undefined) return
  const source = await db
    .updateTable('throttles')
    .set((eb) => ({ failures: eb('failures', '-', account.failures) }))
    .where('key', '=', keys.source)
    .returning('failures')
    .executeTakeFirst()
  if (source === undefined) return
  if (source.failures > 0) await setBlock(db, { key: keys.source, failures: source.failures, now })
  else await db.deleteFrom('throttles').where('key', '=', keys.source).execute()
}

async function setBlock(db: Db, { key, failures, now }: { key: string; failures: number; now: Date }) {
  const delay = delaySeconds(failures)
  const until = delay === 0 ? null : new Date(now.getTime() + delay * 1000).toISOString()
  await db.updateTable('throttles').set({ blocked_until: until }).where('key', '=', key).execute()
}

function formatWait(seconds: number): string {
  if (seconds < 60) return seconds === 1 ? 'one second' : `${seconds} seconds`
  const minutes = Math.ceil(seconds / 60)
  return minutes === 1 ? 'one minute' : `${minutes} minutes`
}
