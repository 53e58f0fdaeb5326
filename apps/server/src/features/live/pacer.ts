export interface Pace {
  /** Collects what comes shortly after the first request. */
  delayMs: number
  /** From one start of the work to the next, at least. */
  intervalMs: number
}

/** Does work shortly after it was asked for, however often: never twice at once, and not more often than its pace. */
export class Pacer implements Disposable {
  #work: () => Promise<void>
  #pace: Pace
  #timer: NodeJS.Timeout | undefined
  #working = false
  #wanted = false
  #lastStart = Number.NEGATIVE_INFINITY

  constructor(pace: Pace, work: () => Promise<void>) {
    this.#pace = pace
    this.#work = work
  }

  request(): void {
    this.#wanted = true
    if (this.#timer !== undefined || this.#working) return
    const { delayMs, intervalMs } = this.#pace
    const waitMs = Math.max(delayMs, this.#lastStart + intervalMs - performance.now())
    this.#timer = setTimeout(() => void this.#run(), waitMs)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#working = true
  }

  async #run(): Promise<void> {
    this.#timer = undefined
    this.#working = true
    this.#wanted = false
    this.#lastStart = performance.now()
    await this.#work()
    this.#working = false
    if (this.#wanted) this.request()
  }
}
