/** Limits for text frames of one agent. Channels have their own credit. */
export interface LinkRates {
  bytesPerSecond: number
  framesPerSecond: number
  /** Allowed at once, in addition to the rate. */
  burst: { bytes: number; frames: number }
}

/** The outbox of a machine that was offline for a week holds at most 50 MB. */
export const SUSTAINED: LinkRates = {
  bytesPerSecond: 250_000,
  framesPerSecond: 50,
  burst: { bytes: 50_000_000, frames: 20_000 },
}
/** Applies during the burst and limits how long one agent can delay the others. */
export const PEAK: LinkRates = {
  bytesPerSecond: 500_000,
  framesPerSecond: 250,
  burst: { bytes: 2_000_000, frames: 250 },
}

/**
 * The budget of one agent over all of its links. Spending beyond it is possible, because received data is never
 * dropped: the debt determines how long the server pauses reading.
 */
export class LinkBudget {
  #bytes: TokenBucket[]
  #frames: TokenBucket[]

  constructor(nowMs: number, rates: readonly LinkRates[] = [SUSTAINED, PEAK]) {
    this.#bytes = rates.map(
      ({ bytesPerSecond, burst }) =>
        new TokenBucket({ perSecond: bytesPerSecond, burst: burst.bytes }, nowMs),
    )
    this.#frames = rates.map(
      ({ framesPerSecond, burst }) =>
        new TokenBucket({ perSecond: framesPerSecond, burst: burst.frames }, nowMs),
    )
  }

  /** Charges a frame. Returns the milliseconds until the budget is out of debt. */
  spend(bytes: number, nowMs: number): number {
    return Math.max(
      ...this.#bytes.map((bucket) => bucket.spend(bytes, nowMs)),
      ...this.#frames.map((bucket) => bucket.spend(1, nowMs)),
    )
  }

  /** A full budget equals a new one, so it can be discarded. */
  isWhole(nowMs: number): boolean {
    return [...this.#bytes, ...this.#frames].every((bucket) => bucket.isFull(nowMs))
  }
}

/** A token bucket with a burst size and a refill rate per second. */
export class TokenBucket {
  #perMs: number
  #burst: number
  #left: number
  #atMs: number

  constructor({ perSecond, burst }: { perSecond: number; burst: number }, nowMs: number) {
    this.#perMs = perSecond / 1000
    this.#burst = burst
    this.#left = burst
    this.#atMs = nowMs
  }

  /** @returns False if there are too few tokens; then none are spent. */
  trySpend(amount: number, nowMs: number): boolean {
    this.#refill(nowMs)
    if (this.#left < amount) return false
    this.#left -= amount
    return true
  }

  /** Spends even into debt. Returns the milliseconds until the debt is paid. */
  spend(amount: number, nowMs: number): number {
    this.#refill(nowMs)
    this.#left -= amount
    return Math.max(0, -this.#left / this.#perMs)
  }

  isFull(nowMs: number): boolean {
    this.#refill(nowMs)
    return this.#left >= this.#burst
  }

  #refill(nowMs: number): void {
    this.#left = Math.min(this.#burst, this.#left + (nowMs - this.#atMs) * this.#perMs)
    this.#atMs = nowMs
  }
}
