import { TokenBucket } from '../platform/agent-link/link-budget.ts'
import type { QueuedReport } from '../platform/agent-link/report-queue.ts'

/** Software lists that no user asked for. A machine in use sends a few per hour. */
const LISTS = { perSecond: 1 / 600, burst: 3 }
/** Storing one blocks others. An agent waits for a minute without changes before it reports. */
const LIST_PACE = { perSecond: 1 / 30, burst: 1 }
/** Check results between two scheduled runs: run on demand, late, or repeated. */
const EXTRA_RESULTS = { perSecond: 1, burst: 500 }
/** Tolerance for clocks and schedulers. */
const JITTER = 0.5
/** While it was offline a machine may have used another interval. The shortest is 10 s. */
const MIN_INTERVAL_SECONDS = 10

export interface ResultTimes {
  atMs: number
  /** Infinity for the first one. */
  gapMs: number
  intervalMs: number
}

/** Limits what this process stores of one agent. An agent that follows the protocol stays far below. */
export class ReportLimits {
  #now: () => Date
  #intervalSeconds: () => number
  /** Newest accepted sample time in milliseconds. */
  #sampledAt = new Map<string, number>()
  #lists = new Map<string, TokenBucket>()
  #listPace = new Map<string, TokenBucket>()
  /** Requested software lists that have not arrived. */
  #expectedLists = new Map<string, number>()
  /** Machines whose software an installation has changed, and the id of its run. */
  #allowedLists = new Set<string>()
  #lastInstallations = new Map<string, number>()
  #extraResults = new Map<string, TokenBucket>()

  constructor({ now, intervalSeconds }: { now: () => Date; intervalSeconds: () => number }) {
    this.#now = now
    this.#intervalSeconds = intervalSeconds
  }

  /** A requested list is accepted whenever it arrives. */
  expectLists(agentId: string, count: number): void {
    this.#expectedLists.set(agentId, (this.#expectedLists.get(agentId) ?? 0) + count)
  }

  /** The list that changes by an installation is requested at once, one for each run. */
  allowList(agentId: string, runId: number): void {
    if (runId <= (this.#lastInstallations.get(agentId) ?? 0)) return
    this.#lastInstallations.set(agentId, runId)
    this.#allowedLists.add(agentId)
  }

  /** Whether the server may request the list on its own. */
  mayAskForList(agentId: string): boolean {
    if (this.#allowedLists.delete(agentId)) return true
    return this.#spendList(agentId)
  }

  /** Whether to accept a result `gapMs` after the previous one of its check, which runs every `intervalMs`. */
  takeResult(agentId: string, { atMs, gapMs, intervalMs }: ResultTimes): boolean {
    return (
      gapMs >= this.#leastGapMs(atMs, intervalMs) || this.#spend(this.#extraResults, EXTRA_RESULTS, agentId)
    )
  }

  /** Returns the accepted reports, and a function to call when they are stored. */
  sift(reports: readonly QueuedReport[]): { taken: QueuedReport[]; onStored: () => void } {
    const sampledAt = new Map<string, number>()
    const taken = reports.flatMap((entry): QueuedReport[] => {
      const { agentId, report } = entry
      if (report.kind === 'metrics') {
        const last = sampledAt.get(agentId) ?? this.#sampledAt.get(agentId)
        const atMs = Date.parse(report.sample.at)
        if (last !== undefined && atMs - last < this.#leastGapMs(atMs, this.#intervalSeconds() * 1000))
          return []
        // A clock that was ahead is corrected one day.
        sampledAt.set(agentId, Math.min(atMs, this.#now().getTime()))
      }
      if (report.kind === 'software' && report.inventory !== null && !this.#takeList(agentId))
        // The server requests the list if it changed and the limits allow it.
        return [{ agentId, report: { ...report, inventory: null } }]
      return [entry]
    })
    const onStored = () => {
      for (const [agentId, atMs] of sampledAt) this.#sampledAt.set(agentId, atMs)
    }
    return { taken, onStored }
  }

  drop(agentIds: readonly string[]): void {
    for (const agentId of agentIds) {
      this.#sampledAt.delete(agentId)
      this.#lists.delete(agentId)
      this.#listPace.delete(agentId)
      this.#expectedLists.delete(agentId)
      this.#allowedLists.delete(agentId)
      this.#lastInstallations.delete(agentId)
      this.#extraResults.delete(agentId)
    }
  }

  #leastGapMs(atMs: number, intervalMs: number): number {
    const isOfNow = this.#now().getTime() - atMs < 2 * intervalMs
    return JITTER * (isOfNow ? intervalMs : MIN_INTERVAL_SECONDS * 1000)
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
