import type { MetricsSample } from '@muster/contract/agent/metrics'
import type { Log } from '../log/log.ts'
import type { Counters } from '../os/counters.ts'
import { type Look, toValues } from './metrics-sampler.ts'
import { WhileWatched } from './while-watched.ts'

export interface LiveSamplerOptions {
  readCounters: () => Promise<Counters>
  /** Over the link, if it is up; nothing of it is kept. */
  send: (sample: MetricsSample) => void
  log: Log
  /** Unix milliseconds, as near to the server's clock as this machine knows. */
  now: () => number
}

/** Measures the machine each second while somebody looks. */
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
      // Rates from before a pause would be those of the pause.
      onStop: () => (last = undefined),
    })
  }
}
