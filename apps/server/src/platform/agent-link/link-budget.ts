/** What one agent may send, in text frames; channels have their own credit. */
export interface LinkRates {
  bytesPerSecond: number
  framesPerSecond: number
  /** What may come at once, on top of the rate. */
  burst: { bytes: number; frames: number }
}

/** A machine that was away for a week has its whole outbox to send: 50 MB at most. */
export const SUSTAINED: LinkRates = {
  bytesPerSecond: 250_000,
  framesPerSecond: 50,
  burst: { bytes: 50_000_000, frames: 20_000 },
}
/** While its burst lasts. Others wait no longer for what one machine sends within a moment. */
export const PEAK: LinkRates = {
  bytesPerSecond: 500_000,
  framesPerSecond: 250,
  burst: { bytes: 2_000_000, frames: 250 },
}

/**
 * The budget of one agent, over all of its links. Spending beyond it is possible, as what has come is never dropped:
 * the debt says for how long the server should read nothing more.
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

  /** A frame of so many bytes has come. Returns the milliseconds until the budget is no longer in debt. */
  spend(bytes: number, nowMs: number): number {
    return Math.max(
      ...this.#bytes.map((bucket) => bucket.spend(bytes, nowMs)),
      ...this.#frames.map((bucket) => bucket.spend(1, nowMs)),
    )
  }

  /** Nothing of it is spent: a new one is the same. */
  isWhole(nowMs: number): boolean {
    return [...this.#bytes, ...this.#frames].every((bucket) => bucket.isFull(nowMs))
  }
}

/** So many at once, and then so many a second. */
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

  /** False = there is not enough, and nothing is spent. */
  trySpend(amount: number, nowMs: number): boolean {
    this.#refill(nowMs)
    if (this.#left < amount) return false
    this.#left -= amount
    return true
  }

  /** Spends it in any case. Returns the milliseconds until the debt is paid. */
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
