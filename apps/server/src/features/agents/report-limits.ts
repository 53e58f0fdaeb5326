import { TokenBucket } from '../../platform/agent-link/link-budget.ts'
import type { QueuedReport } from '../../platform/agent-link/report-queue.ts'

/** Lists of software that nobody asked for by hand. A machine on which somebody works has some in an hour. */
const LISTS = { perSecond: 1 / 600, burst: 3 }
/** Clocks and schedulers are not exact. */
const JITTER = 0.5
/** In what it measured while it was away, a machine may have had another interval: the shortest is 10 s. */
const SHORTEST_INTERVAL_SECONDS = 10

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
  #expectsList = new Set<string>()

  constructor({ now, intervalSeconds }: { now: () => Date; intervalSeconds: () => number }) {
    this.#now = now
    this.#intervalSeconds = intervalSeconds
  }

  /** The machine is asked for its list of software: it is taken whenever it comes. */
  expectList(agentId: string): void {
    this.#expectsList.add(agentId)
  }

  /** Whether the server may ask for the list of its own accord now. */
  mayAskForList(agentId: string): boolean {
    return this.#spendList(agentId)
  }

  /** Returns the reports without what comes too often, and what to call when they are stored. */
  sift(reports: readonly QueuedReport[]): { taken: QueuedReport[]; onStored: () => void } {
    const sampledAt = new Map<string, number>()
    const taken = reports.flatMap((entry): QueuedReport[] => {
      const { agentId, report } = entry
      if (report.kind === 'metrics') {
        const last = sampledAt.get(agentId) ?? this.#sampledAt.get(agentId)
        const atMs = Date.parse(report.sample.at)
        if (last !== undefined && atMs - last < this.#leastGapMs(atMs)) return []
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
      this.#expectsList.delete(agentId)
    }
  }

  #leastGapMs(atMs: number): number {
    const intervalMs = this.#intervalSeconds() * 1000
    const isOfNow = this.#now().getTime() - atMs < 2 * intervalMs
    return JITTER * (isOfNow ? intervalMs : SHORTEST_INTERVAL_SECONDS * 1000)
  }

  #takeList(agentId: string): boolean {
    return this.#expectsList.delete(agentId) || this.#spendList(agentId)
  }

  #spendList(agentId: string): boolean {
    const nowMs = this.#now().getTime()
    const bucket = this.#lists.get(agentId) ?? new TokenBucket(LISTS, nowMs)
    this.#lists.set(agentId, bucket)
    return bucket.trySpend(1, nowMs)
  }
}
