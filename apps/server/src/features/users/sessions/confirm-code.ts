import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { audit } from '../../audit/write-audit.ts'
import { requireUser, takeTotpStep } from './queries.ts'
import { countFailure, forgiveFailures, keyList, refuseWhileBlocked, type ThrottleKeys } from './throttle.ts'
import { findTotpStep } from './totp.ts'
import type { Turns } from './turns.ts'

/** So long a code counts, from when the session gave it. */
export const CODE_MINUTES = 10

/** Takes a code of a signed-in person once more; each code counts once, and guessing is slowed down as at sign-in. */
export function confirmCode(
  { ctx, turns }: { ctx: Context; turns: Turns },
  caller: Caller,
  code: string,
): Promise<{ until: string }> {
  const { session } = caller
  if (session === undefined) throw new AppError('not_allowed', 'Codes are for signed-in people.')
  // Its own count: whoever has stolen a session must not lock its owner out of signing in.
  const keys: ThrottleKeys = { account: `code:${caller.userId}`, source: undefined }
  return turns.run(keyList(keys), async () => {
    await refuseWhileBlocked(ctx, keys)
    const user = await requireUser(ctx.db, caller.userId)
    if (user.totp_key === null || user.totp_confirmed === 0)
      throw new AppError('conflict', 'Set up two-factor sign-in first, and sign in again.')
    const now = ctx.now()
    const step = findTotpStep(ctx.secrets.decrypt(user.totp_key), code, now)
    if (step === undefined || !(await takeTotpStep(ctx.db, user.id, step))) {
      await countFailure(ctx, keys)
      await writeAudit(ctx, caller, {
        action: 'failed_login',
        message: `Gave a wrong code as "${user.username}"`,
      })
      refuse(step === undefined ? WRONG : USED)
    }
    await ctx.db
      .updateTable('sessions')
      .set({ code_at: now.toISOString() })
      .where('digest', '=', session.digest)
      .execute()
    await forgiveFailures(ctx.db, keys, now)
    await writeAudit(ctx, caller, { action: 'login', message: `Confirmed "${user.username}" with a code` })
    return { until: endOfCode(now.toISOString()).toISOString() }
  })
}

/** Whether the session has given a code that still counts. */
export function hasFreshCode(codeAt: string | null, now: Date): boolean {
  return codeAt !== null && endOfCode(codeAt) > now
}

function endOfCode(codeAt: string): Date {
  return new Date(Date.parse(codeAt) + CODE_MINUTES * 60_000)
}

const WRONG = 'This code is not right. Enter the one that the app shows now; the clocks must agree.'
const USED = 'This code was used already. Wait for the next one.'

function refuse(message: string): never {
  throw new AppError('invalid', message, { fields: { twofactor: [message] } })
}

async function writeAudit(
  ctx: Context,
  caller: Caller,
  row: { action: 'login' | 'failed_login'; message: string },
): Promise<void> {
  await audit(ctx.db, { caller, object_type: 'user', ...row, at: ctx.now(), emit: ctx.emit })
}
