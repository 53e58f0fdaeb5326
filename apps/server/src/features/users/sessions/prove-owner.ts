import type { OwnerProof } from '@muster/contract/api/sessions'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import { type Caller, PROOF_MINUTES } from '../../../platform/http/caller.ts'
import { verifyPassword } from '../../../platform/secrets/passwords.ts'
import { audit } from '../../audit/write-audit.ts'
import { refuseSsoUser, requireUser, takeTotpStep } from './queries.ts'
import type { SignInParts } from './sign-in.ts'
import { countFailure, forgiveFailures, keyList, refuseWhileBlocked, type ThrottleKeys } from './throttle.ts'
import { describeUsedCode, findTotpStep, WRONG_CODE } from './totp-codes.ts'

/** How long a code is valid for its session, for remote tools. */
export const CODE_MINUTES = 10

/**
 * Requires the password or a code of the signed-in user, before what would hand the account to the holder of a stolen
 * session, and marks the session. Only a code is a second factor. Each code works once, and guessing is slowed down as
 * at sign-in, with a counter of its own: a stolen session must not lock its owner out of signing in.
 *
 * @returns When the proof was given.
 */
export function proveOwner({ ctx, turns }: Desk, caller: Caller, proof: OwnerProof): Promise<Date> {
  const { session } = caller
  if (session === undefined) throw new AppError('not_allowed', 'Only a signed-in user can confirm this.')
  const keys: ThrottleKeys = { account: `proof:${caller.userId}`, source: undefined }
  return turns.run(keyList(keys), async () => {
    await refuseWhileBlocked(ctx, keys)
    await refuseSsoUser(ctx.db, caller.userId)
    const wrong = await findWrong(ctx, caller, proof)
    if (wrong !== undefined) {
      if (wrong.isGuess) await countFailure(ctx, keys)
      await writeAudit(ctx, caller, {
        action: 'failed_login',
        message: `Failed to confirm "${caller.username}" with ${nameOf(proof)}`,
      })
      throw new AppError('invalid', wrong.message, { fields: { [wrong.field]: [wrong.message] } })
    }
    const now = ctx.now()
    const at = now.toISOString()
    await ctx.db
      .updateTable('sessions')
      .set({ proved_at: at, ...(proof.twofactor !== undefined && { code_at: at }) })
      .where('digest', '=', session.digest)
      .execute()
    await forgiveFailures(ctx.db, keys, now)
    return now
  })
}

/** A proof alone, before requests that ask for a recent one. */
export async function confirmOwner(
  desk: Desk,
  caller: Caller,
  proof: OwnerProof,
): Promise<{ until: string }> {
  const at = await proveOwner(desk, caller, proof)
  await writeAudit(desk.ctx, caller, {
    action: 'login',
    message: `Confirmed "${caller.username}" with ${nameOf(proof)}`,
  })
  return { until: endOf(proof.twofactor === undefined ? PROOF_MINUTES : CODE_MINUTES, at).toISOString() }
}

type Desk = Pick<SignInParts, 'ctx' | 'turns'>

interface Wrong {
  field: keyof OwnerProof
  message: string
  /** Not a code that was right a moment ago. */
  isGuess: boolean
}

async function findWrong(
  ctx: Context,
  { userId }: Caller,
  { twofactor, current_password = '' }: OwnerProof,
): Promise<Wrong | undefined> {
  const user = await requireUser(ctx.db, userId)
  if (twofactor === undefined) {
    if (await verifyPassword(current_password, user.password_hash)) return undefined
    return { field: 'current_password', message: 'The current password is wrong.', isGuess: true }
  }
  if (user.totp_key === null || user.totp_confirmed === 0)
    throw new AppError('conflict', 'Set up two-factor sign-in first, and sign in again.')
  const step = findTotpStep(ctx.secrets.decrypt(user.totp_key), twofactor, ctx.now())
  if (step !== undefined && (await takeTotpStep(ctx.db, user.id, step))) return undefined
  const used = await describeUsedCode(ctx, user.id, step)
  return { field: 'twofactor', message: used ?? WRONG_CODE, isGuess: used === undefined }
}

function nameOf({ twofactor }: OwnerProof): string {
  return twofactor === undefined ? 'the password' : 'a code'
}

/** Whether something in this session, such as a code, is not older than so many minutes. */
export function isWithin(minutes: number, at: string | null, now: Date): boolean {
  return at !== null && endOf(minutes, new Date(at)) > now
}

function endOf(minutes: number, at: Date): Date {
  return new Date(at.getTime() + minutes * 60_000)
}

async function writeAudit(
  ctx: Context,
  caller: Caller,
  row: { action: 'login' | 'failed_login'; message: string },
): Promise<void> {
  await audit(ctx.db, { caller, object_type: 'user', ...row, at: ctx.now(), emit: ctx.emit })
}
