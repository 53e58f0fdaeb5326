import { CHANNEL_WINDOW_BYTES } from './channel.ts'

/** Credit is returned in parts of this size, so that it costs few frames. */
const GIVE_BACK_BYTES = CHANNEL_WINDOW_BYTES / 4

/**
 * Bytes that may still be sent in one direction of a channel. Tracked by the sender, and by the receiver to check
 * it.
 */
export class SendWindow {
  #left = CHANNEL_WINDOW_BYTES

  get left(): number {
    return this.#left
  }

  /** `false` = more than was allowed. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false
    this.#left -= bytes
    return true
  }

  /** `false` = more credit than the window size, which a correct peer never grants. */
  add(bytes: number): boolean {
    if (this.#left + bytes > CHANNEL_WINDOW_BYTES) return false
    this.#left += bytes
    return true
  }
}

/** Bytes that were received and not credited yet. */
export class CreditDebt {
  #owed = 0

  /** Marks bytes as processed. Returns the credit to send now, 0 = later. */
  consume(bytes: number): number {
    this.#owed += bytes
    if (this.#owed < GIVE_BACK_BYTES) return 0
    const credit = this.#owed
    this.#owed = 0
    return credit
  }
}
