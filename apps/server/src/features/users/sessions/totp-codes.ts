import { Secret, TOTP } from 'otpauth'
import type { Context } from '../../../context.ts'
import { isLastTotpStep } from './queries.ts'

export const WRONG_CODE =
  'This code is wrong. Enter the current one of the app, and check that the clocks agree.'

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
