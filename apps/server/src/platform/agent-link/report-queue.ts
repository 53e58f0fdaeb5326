import type { Report } from '@muster/contract/agent/link'
import type { Log } from '../log/log.ts'
import type { AgentSocket } from './agent-socket.ts'

export interface QueuedReport {
  agentId: string
  report: Report
}

interface Entry extends QueuedReport {
  socket: AgentSocket
  seq: number
  bytes: number
}

export interface QueueOwner {
  /** Stores all reports or none. */
  store: (reports: QueuedReport[]) => Promise<void>
  /** The common limit is reached. */
  onFull: () => void
  /** Half of the waiting reports are stored. */
  onRoom: () => void
}

interface Amount {
  reports: number
  bytes: number
}

const MAX_BATCH = 500
/**
 * Facts, metrics and started runs wait this long after the previous transaction, to share the next one: a transaction
 * costs more than a report in it. A single report does not wait.
 */
const BATCH_DELAY_MS = 20
/** This many reports are worth a transaction at once. */
const ENOUGH = 100
const MAY_LINGER: ReadonlySet<Report['kind']> = new Set(['facts', 'checks', 'metrics', 'accepted', 'started'])
/** A larger report is stored alone. About 20 ms, in which all other SQLite queries wait. */
const MAX_BATCH_BYTES = 128 * 1024
/** Check results have rows of their own, so the same number of bytes takes longer. */
const CHECKS_WEIGH = 4
/** Limit for all agents together. Above it nothing more is read until half is stored. */
const MAX_WAITING = { reports: 50_000, bytes: 32 * 1024 * 1024 }
/** Limit per agent, so that other agents do not wait behind one backlog. */
const MAX_OWN_WAITING = { reports: 250, bytes: 256 * 1024 }

/**
 * Group commit: reports that arrive during one transaction are stored together by the next, and acknowledged after its
 * commit. If storing fails, nothing is acknowledged: the link is dropped and the agent sends the reports again.
 */
export class ReportQueue implements AsyncDisposable {
  #owner: QueueOwner
  #log: Log
  #waiting: Entry[] = []
  #bytes = 0
  #own = new Map<AgentSocket, Amount>()
  #isFull = false
  #running: Promise<void> | undefined
  /** A waiting report is one that a user is waiting for. */
  #isUrgent = false
  #go: () => void = () => {}
  #storedMs = Number.NEGATIVE_INFINITY
  #pause: PromiseWithResolvers<void> | undefined

  constructor(log: Log, owner: QueueOwner) {
    this.#owner = owner
    this.#log = log
  }

  /** Reading from all agents should pause. */
  get isFull(): boolean {
    return this.#isFull
  }

  get size(): number {
    return this.#waiting.length
  }

  add(socket: AgentSocket, sent: { seq: number; report: Report; bytes: number }): void {
    this.#waiting.push({ socket, agentId: socket.agentId, ...sent })
    this.#countIn(socket, sent.bytes)
    if (!MAY_LINGER.has(sent.report.kind)) this.#isUrgent = true
    if (this.#isUrgent || this.#waiting.length >= ENOUGH) this.#go()
    this.#running ??= this.#run()
  }

  /** Stores nothing until `resume`: agents keep what is not acknowledged. */
  pause(): void {
    this.#pause ??= Promise.withResolvers()
  }

  resume(): void {
    this.#pause?.resolve()
    this.#pause = undefined
  }

  /** Stores the remaining reports, unless it is paused: agents send them again. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#pause !== undefined) this.#waiting = []
    this.resume()
    await this.#running
  }

  async #run(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        // Wait for at least one turn of the event loop. Frames of one network packet then share a transaction, and
        // other work gets a turn between SQLite's synchronous writes.
        await new Promise(setImmediate)
        await this.#linger()
        await this.#pause?.promise
        const batch = this.#waiting.splice(0, countOfBatch(this.#waiting))
        if (this.#waiting.length === 0) this.#isUrgent = false
        await this.#storeBatch(batch)
        this.#storedMs = performance.now()
        this.#countOut(batch)
      }
    } finally {
      this.#running = undefined
    }
  }

  #countIn(socket: AgentSocket, bytes: number): void {
    const own = this.#own.get(socket) ?? { reports: 0, bytes: 0 }
    own.reports += 1
    own.bytes += bytes
    this.#own.set(socket, own)
    this.#bytes += bytes
    if (isAbove(own, MAX_OWN_WAITING)) socket.hold('own reports')
    if (this.#isFull || !isAbove(this.#amount(), MAX_WAITING)) return
    this.#isFull = true
    this.#owner.onFull()
  }

  #countOut(batch: Entry[]): void {
    for (const { socket, bytes } of batch) {
      this.#bytes -= bytes
      const own = this.#own.get(socket)
      if (own === undefined) continue
      own.reports -= 1
      own.bytes -= bytes
      if (!isAbove(own, MAX_OWN_WAITING)) socket.release('own reports')
      if (own.reports === 0) this.#own.delete(socket)
    }
    const half = { reports: MAX_WAITING.reports / 2, bytes: MAX_WAITING.bytes / 2 }
    if (!this.#isFull || isAbove(this.#amount(), half)) return
    this.#isFull = false
    this.#owner.onRoom()
  }

  #amount(): Amount {
    return { reports: this.#waiting.length, bytes: this.#bytes }
  }

  async #linger(): Promise<void> {
    const leftMs = this.#storedMs + BATCH_DELAY_MS - performance.now()
    if (leftMs <= 0 || this.#isUrgent || this.#waiting.length >= ENOUGH) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, leftMs)
      this.#go = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#go = () => {}
  }

  async #storeBatch(batch: Entry[]): Promise<void> {
    try {
      await this.#owner.store(batch)
      // Respond to waiting requests first: waking another process costs as much as a frame.
      await new Promise(setImmediate)
      acknowledge(batch)
    } catch (error) {
      if (batch.length > 1) {
        for (const entry of batch) await this.#storeBatch([entry])
        return
      }
      const [entry] = batch
      this.#log.error({ agent_id: entry?.agentId, kind: entry?.report.kind, err: error }, 'report not stored')
      entry?.socket.terminate()
    }
  }
}

function isAbove(amount: Amount, limit: Amount): boolean {
  return amount.reports > limit.reports || amount.bytes > limit.bytes
}

function countOfBatch(waiting: Entry[]): number {
  let bytes = 0
  const end = waiting.findIndex((entry, index) => {
    bytes += entry.bytes * (entry.report.kind === 'checks' ? CHECKS_WEIGH : 1)
    return index === MAX_BATCH || (index > 0 && bytes > MAX_BATCH_BYTES)
  })
  return end < 0 ? waiting.length : end
}

function acknowledge(batch: Entry[]): void {
  const last = new Map<AgentSocket, number>()
  for (const { socket, seq } of batch) last.set(socket, Math.max(seq, last.get(socket) ?? 0))
  for (const [socket, seq] of last) socket.acknowledge(seq)
}
