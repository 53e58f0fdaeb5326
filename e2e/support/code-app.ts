import { Secret, TOTP } from 'otpauth'

const STEP_SECONDS = 30

/**
 * An authenticator app that is never asked to wait: each code belongs to a later step than the one before, since a
 * server takes a code once. It allows one step either side, so two codes can be had at once.
 */
export class CodeApp {
  #totp: TOTP
  #lastStep = 0

  constructor(key: string) {
    this.#totp = new TOTP({ secret: Secret.fromBase32(key.replaceAll(/\s/g, '')) })
  }

  nextCode(): string {
    const step = Math.max(this.#lastStep + 1, Math.floor(Date.now() / 1000 / STEP_SECONDS))
    this.#lastStep = step
    return this.#totp.generate({ timestamp: step * STEP_SECONDS * 1000 })
  }
}
