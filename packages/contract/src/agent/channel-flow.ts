import { CHANNEL_WINDOW_BYTES } from './channel.ts'

/** Credit is given back in parts of this size, so that it costs few frames. */
const GIVE_BACK_BYTES = CHANNEL_WINDOW_BYTES / 4

/** What may still be sent in one direction of a channel. Kept by who sends, and by who watches the sender. */
export class SendWindow {
  #left = CHANNEL_WINDOW_BYTES

  get left(): number {
    return this.#left
  }

  /** False = more than was allowed. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false
    this.#left -= bytes
    return true
  }

  /** False = more credit than a window has, which nobody gives who counts honestly. */
  add(bytes: number): boolean {
    if (this.#left + bytes > CHANNEL_WINDOW_BYTES) return false
    this.#left += bytes
    return true
  }
}

/** What was taken in and not given back yet. */
export class CreditDebt {
  #owed = 0

  /** Bytes are dealt with; answers the credit to send now, 0 = later. */
  consume(bytes: number): number {
    this.#owed += bytes
    if (this.#owed < GIVE_BACK_BYTES) return 0
    const credit = this.#owed
    this.#owed = 0
    return credit
  }
}
