import { metricUnit, type MetricsSample } from '@muster/contract/agent/metrics'
import type { LiveMetrics as Answer } from '@muster/contract/api/metrics'
import { LiveViews } from '../../fleet/live-views.ts'

/** Shown to a new viewer at once, and available to a delayed request. */
const MAX_SAMPLES = 90

interface Measured {
  samples: (Answer['samples'][number] & { position: number })[]
}

/** Metrics of agents linked to this process, while someone views them. */
export class LiveMetrics implements Disposable {
  #watches: LiveViews<Measured>

  constructor(renew: (agentId: string, seconds: number) => boolean) {
    this.#watches = new LiveViews(renew, () => ({ samples: [] }))
  }

  get size(): number {
    return this.#watches.size
  }

  /** Waits for values newer than `after`. Undefined = the machine is not linked here. */
  async next(agentId: string, after: number): Promise<Answer | undefined> {
    let from = after
    const measured = await this.#watches.next(agentId, (state) => {
      // From another process, or from one with a fast clock: its positions mean nothing here.
      if (after > positionNow(state)) from = 0
      return state.samples.some(({ position }) => position > from)
    })
    if (measured === undefined) return undefined
    const newer = measured.samples.filter(({ position }) => position > from)
    return {
      connected: true,
      samples: newer.map(({ at, values }) => ({ at, values })),
      next: newer.at(-1)?.position ?? after,
    }
  }

  /** Takes a sample. Unknown names and unrequested samples are dropped. */
  take(agentId: string, { at, values }: MetricsSample): void {
    const measured = this.#watches.find(agentId)
    if (measured === undefined) return
    const known = Object.entries(values).filter(([name]) => metricUnit(name) !== undefined)
    measured.samples.push({
      at: Date.parse(at) / 1000,
      values: Object.fromEntries(known),
      position: positionNow(measured),
    })
    if (measured.samples.length > MAX_SAMPLES) measured.samples.shift()
    this.#watches.wake(agentId)
  }

  drop(agentId: string): void {
    this.#watches.drop(agentId)
  }

  [Symbol.dispose](): void {
    this.#watches[Symbol.dispose]()
  }
}

/** Increases with each sample, also across processes as far as their clocks agree. */
function positionNow({ samples }: Measured): number {
  return Math.max((samples.at(-1)?.position ?? 0) + 1, Date.now())
}
