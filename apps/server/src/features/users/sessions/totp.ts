import { Secret, TOTP } from 'otpauth'

const PERIOD_SECONDS = 30
/** Steps either side of now that count too: clocks differ, and typing takes time. */
const WINDOW = 1
const KEY_BYTES = 20
const ISSUER = 'Muster'

/** A new base32 key for an authenticator app. */
export function newTotpKey(): string {
  return new Secret({ size: KEY_BYTES }).base32
}

/** The number of the 30-second step that the code belongs to; undefined when it is not a code of about now. */
export function findTotpStep(key: string, code: string, now: Date): number | undefined {
  const timestamp = now.getTime()
  const delta = totpOf(key).validate({ token: code, timestamp, window: WINDOW })
  return delta === null ? undefined : Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta
}

/** What the QR code says: an `otpauth://` address with issuer, user and key. */
export function totpAddress(username: string, key: string): string {
  return totpOf(key, username).toString()
}

function totpOf(key: string, label = ''): TOTP {
  const secret = Secret.fromBase32(key)
  return new TOTP({ issuer: ISSUER, label, algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS, secret })
}
