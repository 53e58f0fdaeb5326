import type { MetricsSample } from '@muster/contract/agent/metrics'
import type { Log } from '../log/log.ts'
import type { Counters } from '../os/counters.ts'
import { type Look, toValues } from './metrics-sampler.ts'

const EVERY_MS = 1000

export interface LiveSamplerOptions {
  readCounters: () => Promise<Counters>
  /** Over the link, if it is up; nothing of it is kept. */
  send: (sample: MetricsSample) => void
  log: Log
  /** Unix milliseconds, as near to the server's clock as this machine knows. */
  now: () => number
}

/** Measures the machine each second while the server says that somebody looks; nobody does any more when it falls silent. */
export class LiveSampler implements Disposable {
  #options: LiveSamplerOptions
  #timer: NodeJS.Timeout | undefined
  #untilMs = 0
  #last: Look | undefined
  #isReading = false

  constructor(options: LiveSamplerOptions) {
    this.#options = options
  }

  /** From now on for so long, whatever was said before. */
  watch(seconds: number): void {
    if (seconds === 0) return this.stop()
    this.#untilMs = performance.now() + seconds * 1000
    if (this.#timer !== undefined) return
    this.#timer = setInterval(() => void this.#sample(), EVERY_MS)
    void this.#sample()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    // Rates from before a pause would be those of the pause.
    this.#last = undefined
  }

  [Symbol.dispose](): void {
    this.stop()
  }

  async #sample(): Promise<void> {
    if (performance.now() > this.#untilMs) return this.stop()
    // A disk that hangs must not pile up looks.
    if (this.#isReading) return
    this.#isReading = true
    const { readCounters, send, log, now } = this.#options
    try {
      const counters = await readCounters()
      const look = { atMs: performance.now(), counters }
      if (this.#timer === undefined) return
      const before = this.#last
      this.#last = look
      if (before !== undefined) send({ at: new Date(now()).toISOString(), values: toValues(before, look) })
    } catch (cause) {
      log.debug({ cause }, 'the machine could not be measured')
    } finally {
      this.#isReading = false
    }
  }
}
