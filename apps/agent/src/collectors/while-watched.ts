import type { Log } from '../log/log.ts'

const EVERY_MS = 1000

/**
 * Samples once a second while the server says that a user watches. Stops when the server no longer renews that.
 * Samples never overlap, so one that hangs cannot pile up others.
 */
export class WhileWatched implements Disposable {
  #look: (isWatched: () => boolean) => Promise<void>
  #onStop: () => void
  #log: Log
  #timer: NodeJS.Timeout | undefined
  #untilMs = 0
  #isLooking = false

  constructor(options: {
    /** `isWatched` returns whether the result of a slow sample is still needed. */
    look: (isWatched: () => boolean) => Promise<void>
    /** Drops state between samples, which is stale after a pause. */
    onStop: () => void
    log: Log
  }) {
    this.#look = options.look
    this.#onStop = options.onStop
    this.#log = options.log
  }

  /** Extends or shortens the time to `seconds` from now. 0 stops. */
  watch(seconds: number): void {
    if (seconds === 0) return this.stop()
    this.#untilMs = performance.now() + seconds * 1000
    if (this.#timer !== undefined) return
    this.#timer = setInterval(() => void this.#turn(), EVERY_MS)
    void this.#turn()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#onStop()
  }

  [Symbol.dispose](): void {
    this.stop()
  }

  async #turn(): Promise<void> {
    if (performance.now() > this.#untilMs) return this.stop()
    if (this.#isLooking) return
    this.#isLooking = true
    const timer = this.#timer
    try {
      await this.#look(() => timer !== undefined && this.#timer === timer)
    } catch (cause) {
      this.#log.debug({ cause }, 'failed to take a live sample')
    } finally {
      this.#isLooking = false
    }
  }
}
