import { Secret, TOTP } from 'otpauth'

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

/** The content of the QR code: an `otpauth://` URL with issuer, user and key. */
export function totpAddress(username: string, key: string): string {
  return totpOf(key, username).toString()
}

function totpOf(key: string, label = ''): TOTP {
  const secret = Secret.fromBase32(key)
  return new TOTP({ issuer: ISSUER, label, algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS, secret })
}
