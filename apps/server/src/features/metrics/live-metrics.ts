import { metricUnit, type MetricsSample } from '@muster/contract/agent/metrics'
import type { LiveMetrics as Answer } from '@muster/contract/api/metrics'

/** How long a question waits for the next value. Shorter than a question to another process may take. */
const WAIT_MS = 3000
/** Nobody looks any more when nobody has asked for so long. */
const GRACE_MS = 3000
/** The machine stops by itself after this, should this server not live to tell it. */
const LEASE_SECONDS = 30
const RENEW_MS = 15_000
/** What somebody who begins to look is shown at once, and what a question that was held up still finds. */
const MOST_SAMPLES = 90

interface Watch {
  samples: (Answer['samples'][number] & { place: number })[]
  /** Questions that wait. */
  wakes: Set<() => void>
  askedAtMs: number
  toldAtMs: number
}

/**
 * Machines of this process that somebody looks at, with what they measure meanwhile. Whoever looks asks for what is
 * newer than what he has, and that he asks is what keeps it going: a machine is told to begin with the first question,
 * told again now and then, and told to stop when the questions end. Several who look share one stream.
 */
export class LiveMetrics implements Disposable {
  /** Tells a machine for how long to go on; false = it is not linked to this process. */
  #tell: (agentId: string, seconds: number) => boolean
  #watches = new Map<string, Watch>()
  #timer: NodeJS.Timeout | undefined

  constructor(tell: (agentId: string, seconds: number) => boolean) {
    this.#tell = tell
  }

  get size(): number {
    return this.#watches.size
  }

  /** What is newer than `after`, as soon as there is something; undefined = the machine is not linked here. */
  async next(agentId: string, after: number): Promise<Answer | undefined> {
    const watch = this.#watches.get(agentId) ?? {
      samples: [],
      wakes: new Set(),
      askedAtMs: 0,
      toldAtMs: -RENEW_MS,
    }
    watch.askedAtMs = performance.now()
    if (watch.askedAtMs - watch.toldAtMs >= RENEW_MS) {
      if (!this.#tell(agentId, LEASE_SECONDS)) return undefined
      watch.toldAtMs = watch.askedAtMs
    }
    this.#watches.set(agentId, watch)
    this.#timer ??= setInterval(() => this.#endUnwatched(), GRACE_MS / 3)
    // Of another process, or of one whose clock was ahead: its places say nothing here.
    const from = after > placeNow(watch) ? 0 : after
    if (!watch.samples.some(({ place }) => place > from)) await waitFor(watch)
    watch.askedAtMs = performance.now()
    const newer = watch.samples.filter(({ place }) => place > from)
    return {
      connected: true,
      samples: newer.map(({ at, values }) => ({ at, values })),
      next: newer.at(-1)?.place ?? after,
    }
  }

  /** A machine has measured; names that are not ours are passed over, and so is what nobody asked for. */
  take(agentId: string, { at, values }: MetricsSample): void {
    const watch = this.#watches.get(agentId)
    if (watch === undefined) return
    const known = Object.entries(values).filter(([name]) => metricUnit(name) !== undefined)
    watch.samples.push({
      at: Date.parse(at) / 1000,
      values: Object.fromEntries(known),
      place: placeNow(watch),
    })
    if (watch.samples.length > MOST_SAMPLES) watch.samples.shift()
    for (const wake of watch.wakes) wake()
  }

  /** The link of a machine is lost: with the next one it is told anew. */
  forget(agentId: string): void {
    const watch = this.#watches.get(agentId)
    this.#watches.delete(agentId)
    for (const wake of watch?.wakes ?? []) wake()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    for (const agentId of this.#watches.keys()) this.forget(agentId)
  }

  #endUnwatched(): void {
    const beforeMs = performance.now() - GRACE_MS
    for (const [agentId, watch] of this.#watches) {
      if (watch.wakes.size > 0 || watch.askedAtMs > beforeMs) continue
      this.#watches.delete(agentId)
      this.#tell(agentId, 0)
    }
    if (this.#watches.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** Rises with each sample, also from one process to the next as far as their clocks agree. */
function placeNow({ samples }: Watch): number {
  return Math.max((samples.at(-1)?.place ?? 0) + 1, Date.now())
}

async function waitFor({ wakes }: Watch): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, WAIT_MS)
  wakes.add(resolve)
  await promise
  clearTimeout(timer)
  wakes.delete(resolve)
}
