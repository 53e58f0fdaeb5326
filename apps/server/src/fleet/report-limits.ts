import { TokenBucket } from '../platform/agent-link/link-budget.ts'
import type { QueuedReport } from '../platform/agent-link/report-queue.ts'

/** Lists of software that nobody asked for by hand. A machine on which somebody works has some in an hour. */
const LISTS = { perSecond: 1 / 600, burst: 3 }
/** Others wait while one is stored. A machine whose software changes waits for a minute of rest before it tells. */
const LIST_PACE = { perSecond: 1 / 30, burst: 1 }
/** Results of checks that come between two runs: somebody has asked for them, or they come late or twice. */
const EXTRA_RESULTS = { perSecond: 1, burst: 500 }
/** Clocks and schedulers are not exact. */
const JITTER = 0.5
/** In what it measured while it was away, a machine may have had another interval: the shortest is 10 s. */
const SHORTEST_INTERVAL_SECONDS = 10

export interface ResultTimes {
  atMs: number
  /** Infinite where it is the first one. */
  gapMs: number
  intervalMs: number
}

/**
 * How often this process takes from one agent what takes room in the database. An agent that keeps to the protocol
 * never comes near.
 */
export class ReportLimits {
  #now: () => Date
  #intervalSeconds: () => number
  /** The newest moment of which a sample was taken, in milliseconds. */
  #sampledAt = new Map<string, number>()
  #lists = new Map<string, TokenBucket>()
  #listPace = new Map<string, TokenBucket>()
  /** Lists that were asked for and have not come. */
  #expectedLists = new Map<string, number>()
  #extraResults = new Map<string, TokenBucket>()

  constructor({ now, intervalSeconds }: { now: () => Date; intervalSeconds: () => number }) {
    this.#now = now
    this.#intervalSeconds = intervalSeconds
  }

  /** The machine is asked for its list of software: it is taken whenever it comes. */
  expectLists(agentId: string, count: number): void {
    this.#expectedLists.set(agentId, (this.#expectedLists.get(agentId) ?? 0) + count)
  }

  /** Whether the server may ask for the list of its own accord now. */
  mayAskForList(agentId: string): boolean {
    return this.#spendList(agentId)
  }

  /** Whether a result is taken that came `gapMs` after the one before it of its check, which is due each `intervalMs`. */
  takeResult(agentId: string, { atMs, gapMs, intervalMs }: ResultTimes): boolean {
    return (
      gapMs >= this.#leastGapMs(atMs, intervalMs) || this.#spend(this.#extraResults, EXTRA_RESULTS, agentId)
    )
  }

  /** Returns the reports without what comes too often, and what to call when they are stored. */
  sift(reports: readonly QueuedReport[]): { taken: QueuedReport[]; onStored: () => void } {
    const sampledAt = new Map<string, number>()
    const taken = reports.flatMap((entry): QueuedReport[] => {
      const { agentId, report } = entry
      if (report.kind === 'metrics') {
        const last = sampledAt.get(agentId) ?? this.#sampledAt.get(agentId)
        const atMs = Date.parse(report.sample.at)
        if (last !== undefined && atMs - last < this.#leastGapMs(atMs, this.#intervalSeconds() * 1000))
          return []
        // A clock that was ahead is put right one day.
        sampledAt.set(agentId, Math.min(atMs, this.#now().getTime()))
      }
      if (report.kind === 'software' && report.inventory !== null && !this.#takeList(agentId))
        // The server asks for it if it is another one, and may.
        return [{ agentId, report: { ...report, inventory: null } }]
      return [entry]
    })
    const onStored = () => {
      for (const [agentId, atMs] of sampledAt) this.#sampledAt.set(agentId, atMs)
    }
    return { taken, onStored }
  }

  forget(agentIds: readonly string[]): void {
    for (const agentId of agentIds) {
      this.#sampledAt.delete(agentId)
      this.#lists.delete(agentId)
      this.#listPace.delete(agentId)
      this.#expectedLists.delete(agentId)
      this.#extraResults.delete(agentId)
    }
  }

  #leastGapMs(atMs: number, intervalMs: number): number {
    const isOfNow = this.#now().getTime() - atMs < 2 * intervalMs
    return JITTER * (isOfNow ? intervalMs : SHORTEST_INTERVAL_SECONDS * 1000)
  }

  #takeList(agentId: string): boolean {
    const expected = this.#expectedLists.get(agentId) ?? 0
    if (expected === 0) return this.#spendList(agentId)
    if (expected === 1) this.#expectedLists.delete(agentId)
    else this.#expectedLists.set(agentId, expected - 1)
    return true
  }

  #spendList(agentId: string): boolean {
    return this.#spend(this.#listPace, LIST_PACE, agentId) && this.#spend(this.#lists, LISTS, agentId)
  }

  #spend(buckets: Map<string, TokenBucket>, rate: typeof LISTS, agentId: string): boolean {
    const nowMs = this.#now().getTime()
    const bucket = buckets.get(agentId) ?? new TokenBucket(rate, nowMs)
    buckets.set(agentId, bucket)
    return bucket.trySpend(1, nowMs)
  }
}
