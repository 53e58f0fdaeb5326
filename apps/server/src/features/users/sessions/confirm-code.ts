import type { OwnerProof } from '@muster/contract/api/sessions'
import { AppError } from '@muster/contract/errors'
import { Secret, TOTP } from 'otpauth'
import type { Context } from '../../../context.ts'
import { type Caller, PROOF_MINUTES } from '../../../platform/http/caller.ts'
import { verifyPassword } from '../../../platform/secrets/passwords.ts'
import { audit } from '../../audit/write-audit.ts'
import { isLastTotpStep, refuseSsoUser, requireUser, takeTotpStep } from './queries.ts'
import { countFailure, forgiveFailures, keyList, refuseWhileBlocked, type ThrottleKeys } from './throttle.ts'
import type { Turns } from './slots.ts'

/** How long a code is valid for its session, for remote tools. */
export const CODE_MINUTES = 10

/**
 * Accepts another code or the password of a signed-in user. Only a code is a second factor. Each code works once, and
 * guessing is slowed down as at sign-in.
 */
export function confirmOwner(
  { ctx, turns }: { ctx: Context; turns: Turns },
  caller: Caller,
  { twofactor: code, current_password: password }: OwnerProof,
): Promise<{ until: string }> {
  const { session } = caller
  if (session === undefined) throw new AppError('not_allowed', 'Only a signed-in user can confirm this.')
  // A separate counter: a stolen session must not lock its owner out of signing in.
  const keys: ThrottleKeys = { account: `code:${caller.userId}`, source: undefined }
  return turns.run(keyList(keys), async () => {
    await refuseWhileBlocked(ctx, keys)
    await refuseSsoUser(ctx.db, caller.userId)
    const user = await requireUser(ctx.db, caller.userId)
    const isCode = code !== undefined
    const wrong = isCode ? await findWrongCode(ctx, user, code) : await findWrongPassword(user, password)
    const what = isCode ? 'a code' : 'the password'
    if (wrong !== undefined) {
      if (wrong.isGuess) await countFailure(ctx, keys)
      await writeAudit(ctx, caller, {
        action: 'failed_login',
        message: `Failed to confirm "${user.username}" with ${what}`,
      })
      const field = isCode ? 'twofactor' : 'current_password'
      throw new AppError('invalid', wrong.message, { fields: { [field]: [wrong.message] } })
    }
    const now = ctx.now()
    const at = now.toISOString()
    await ctx.db
      .updateTable('sessions')
      .set({ proved_at: at, ...(isCode && { code_at: at }) })
      .where('digest', '=', session.digest)
      .execute()
    await forgiveFailures(ctx.db, keys, now)
    await writeAudit(ctx, caller, { action: 'login', message: `Confirmed "${user.username}" with ${what}` })
    return { until: endOf(isCode ? CODE_MINUTES : PROOF_MINUTES, at).toISOString() }
  })
}

interface Wrong {
  message: string
  /** Not a code that was right a moment ago. */
  isGuess: boolean
}

async function findWrongPassword(user: User, password = ''): Promise<Wrong | undefined> {
  if (await verifyPassword(password, user.password_hash)) return undefined
  return { message: 'The current password is wrong.', isGuess: true }
}

async function findWrongCode(ctx: Context, user: User, code: string): Promise<Wrong | undefined> {
  if (user.totp_key === null || user.totp_confirmed === 0)
    throw new AppError('conflict', 'Set up two-factor sign-in first, and sign in again.')
  const step = findTotpStep(ctx.secrets.decrypt(user.totp_key), code, ctx.now())
  if (step !== undefined && (await takeTotpStep(ctx.db, user.id, step))) return undefined
  const used = await describeUsedCode(ctx, user.id, step)
  return { message: used ?? WRONG, isGuess: used === undefined }
}

/** Whether something in this session, such as a code, is not older than so many minutes. */
export function isWithin(minutes: number, at: string | null, now: Date): boolean {
  return at !== null && endOf(minutes, at) > now
}

function endOf(minutes: number, at: string): Date {
  return new Date(Date.parse(at) + minutes * 60_000)
}

const WRONG = 'This code is wrong. Enter the current one of the app, and check that the clocks agree.'

async function writeAudit(
  ctx: Context,
  caller: Caller,
  row: { action: 'login' | 'failed_login'; message: string },
): Promise<void> {
  await audit(ctx.db, { caller, object_type: 'user', ...row, at: ctx.now(), emit: ctx.emit })
}

type User = Awaited<ReturnType<typeof requireUser>>

const PERIOD_SECONDS = 30
/** Accepted steps before and after now: clocks differ, and typing takes time. */
const WINDOW = 1
const KEY_BYTES = 20
const ISSUER = 'Muster'

/** @returns A new base32 key for an authenticator app. */
export function newTotpKey(): string {
  return new Secret({ size: KEY_BYTES }).base32
}

/** Returns the 30-second step of a code, or undefined if it is not a current one. */
export function findTotpStep(key: string, code: string, now: Date): number | undefined {
  const timestamp = now.getTime()
  const delta = totpOf(key).validate({ token: code, timestamp, window: WINDOW })
  return delta === null ? undefined : Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta
}

/**
 * Says when to try again if the code of this step was the last one used, which is no guess. An earlier step is as wrong
 * as any other code: it may never have been used.
 */
export async function describeUsedCode(
  ctx: Context,
  userId: number,
  step: number | undefined,
): Promise<string | undefined> {
  if (step === undefined || !(await isLastTotpStep(ctx.db, userId, step))) return undefined
  const seconds = ctx.now().getTime() / 1000
  const isCurrent = step === Math.floor(seconds / PERIOD_SECONDS)
  // The clock of the app differs otherwise.
  const wait = isCurrent ? ` (${Math.ceil((step + 1) * PERIOD_SECONDS - seconds)} s)` : ''
  return `This code was used. Wait for the next one${wait}.`
}

/** The content of the QR code: an `otpauth://` URL with issuer, user and key. */
export function totpAddress(username: string, key: string): string {
  return totpOf(key, username).toString()
}

function totpOf(key: string, label = ''): TOTP {
  const secret = Secret.fromBase32(key)
  return new TOTP({ issuer: ISSUER, label, algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS, secret })
}
