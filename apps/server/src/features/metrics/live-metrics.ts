import { metricUnit, type MetricsSample } from '@muster/contract/agent/metrics'
import type { LiveMetrics as Answer } from '@muster/contract/api/metrics'
import { Watches } from '../../fleet/watches.ts'

/** What somebody who begins to look is shown at once, and what a question that was held up still finds. */
const MOST_SAMPLES = 90

interface Measured {
  samples: (Answer['samples'][number] & { place: number })[]
}

/** What machines of this process measure while somebody looks. */
export class LiveMetrics implements Disposable {
  #watches: Watches<Measured>

  constructor(tell: (agentId: string, seconds: number) => boolean) {
    this.#watches = new Watches(tell, () => ({ samples: [] }))
  }

  get size(): number {
    return this.#watches.size
  }

  /** What is newer than `after`, as soon as there is something; undefined = the machine is not linked here. */
  async next(agentId: string, after: number): Promise<Answer | undefined> {
    let from = after
    const measured = await this.#watches.next(agentId, (state) => {
      // Of another process, or of one whose clock was ahead: its places say nothing here.
      if (after > placeNow(state)) from = 0
      return state.samples.some(({ place }) => place > from)
    })
    if (measured === undefined) return undefined
    const newer = measured.samples.filter(({ place }) => place > from)
    return {
      connected: true,
      samples: newer.map(({ at, values }) => ({ at, values })),
      next: newer.at(-1)?.place ?? after,
    }
  }

  /** A machine has measured; names that are not ours are passed over, and so is what nobody asked for. */
  take(agentId: string, { at, values }: MetricsSample): void {
    const measured = this.#watches.find(agentId)
    if (measured === undefined) return
    const known = Object.entries(values).filter(([name]) => metricUnit(name) !== undefined)
    measured.samples.push({
      at: Date.parse(at) / 1000,
      values: Object.fromEntries(known),
      place: placeNow(measured),
    })
    if (measured.samples.length > MOST_SAMPLES) measured.samples.shift()
    this.#watches.wake(agentId)
  }

  forget(agentId: string): void {
    this.#watches.forget(agentId)
  }

  [Symbol.dispose](): void {
    this.#watches[Symbol.dispose]()
  }
}

/** Rises with each sample, also from one process to the next as far as their clocks agree. */
function placeNow({ samples }: Measured): number {
  return Math.max((samples.at(-1)?.place ?? 0) + 1, Date.now())
}
