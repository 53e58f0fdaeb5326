import type { Log } from '../log/log.ts'

const EVERY_MS = 1000

/**
 * Looks each second while the server says that somebody watches; nobody does any more when it falls silent.
 * One look at a time: what hangs must not pile them up.
 */
export class WhileWatched implements Disposable {
  #look: (isWatched: () => boolean) => Promise<void>
  #onStop: () => void
  #log: Log
  #timer: NodeJS.Timeout | undefined
  #untilMs = 0
  #isLooking = false

  constructor(options: {
    /** `isWatched` tells after a pause whether anybody still waits for what was seen. */
    look: (isWatched: () => boolean) => Promise<void>
    /** What was remembered from look to look is of no use after a pause. */
    onStop: () => void
    log: Log
  }) {
    this.#look = options.look
    this.#onStop = options.onStop
    this.#log = options.log
  }

  /** From now on for so long, whatever was said before. */
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
      this.#log.debug({ cause }, 'the machine could not be looked at')
    } finally {
      this.#isLooking = false
    }
  }
}
