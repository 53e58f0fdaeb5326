import type { MetricsSample } from '@muster/contract/agent/metrics'
import type { Log } from '../log/log.ts'
import type { Counters } from '../os/counters.ts'
import { type Look, toValues } from './metrics-sampler.ts'
import { WhileWatched } from './while-watched.ts'

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
