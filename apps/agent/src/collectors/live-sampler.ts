import type { MetricsSample } from '@muster/contract/agent/metrics'
import type { Log } from '../log/log.ts'
import type { Counters } from '../os/os.ts'
import { type Look, toValues } from './metrics-sampler.ts'

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
  #isSampling = false

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
    if (this.#isSampling) return
    this.#isSampling = true
    const timer = this.#timer
    try {
      await this.#look(() => timer !== undefined && this.#timer === timer)
    } catch (cause) {
      this.#log.debug({ cause }, 'failed to take a live sample')
    } finally {
      this.#isSampling = false
    }
  }
}

export interface LiveSamplerOptions {
  readCounters: () => Promise<Counters>
  /** Sends over the link if it is up. Nothing is stored. */
  send: (sample: MetricsSample) => void
  log: Log
  /** Unix milliseconds, corrected to the server's clock. */
  now: () => number
}

/** Samples metrics once a second while a user watches. */
export class LiveSampler extends WhileWatched {
  constructor({ readCounters, send, log, now }: LiveSamplerOptions) {
    let last: Look | undefined
    super({
      log,
      look: async (isWatched) => {
        const counters = await readCounters()
        const look = { atMs: performance.now(), counters }
        if (!isWatched()) return
        const before = last
        last = look
        if (before !== undefined) send({ at: new Date(now()).toISOString(), values: toValues(before, look) })
      },
      // Rates across a pause would be wrong.
      onStop: () => (last = undefined),
    })
  }
}
