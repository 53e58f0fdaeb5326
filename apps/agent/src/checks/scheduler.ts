import type { PlannedCheck } from './definitions.ts'

const MAX_AT_ONCE = 8
/** Known checks run within this time after a start, spread out so that a fleet does not run all checks at once. */
const SPREAD_MS = 60_000
const NEW_WITHIN_MS = 2000
/** The share of the interval by which a run is moved randomly, earlier or later. */
const JITTER = 0.05
const MIN_WAIT_MS = 20
/** A check that hangs must not block shutdown. */
const LAST_RUNS_MS = 6000

interface Entry {
  plan: PlannedCheck
  dueMs: number
}

export interface SchedulerOptions {
  /** Runs one check; never rejects. The signal aborts when the result is no longer needed. */
  run: (id: number, signal: AbortSignal) => Promise<void>
  random?: () => number
}

/**
 * Decides when checks run, by the monotonic clock only, so changes of the system time do not matter. A check is due,
 * then ready, then running, and never in two of these states. At most eight run at once. One timer serves all
 * checks.
 */
export class Scheduler implements AsyncDisposable {
  #run: SchedulerOptions['run']
  #random: () => number
  #entries = new Map<number, Entry>()
  /** In the order in which they became due. */
  #ready = new Set<number>()
  #running = new Map<number, { abort: AbortController; ended: Promise<void> }>()
  #timer: NodeJS.Timeout | undefined
  #wakesAtMs = Infinity
  #isDisposed = false

  constructor(options: SchedulerOptions) {
    this.#run = options.run
    this.#random = options.random ?? Math.random
  }

  /**
   * Replaces the checks that run. Removed checks end, new and changed ones run soon. `start`: the checks were known
   * before.
   */
  plan(checks: readonly PlannedCheck[], when: 'start' | 'change'): void {
    const planned = new Map(checks.map((check) => [check.id, check]))
    for (const id of this.#entries.keys()) if (!planned.has(id)) this.#drop(id)
    const now = performance.now()
    for (const plan of checks) {
      const known = this.#entries.get(plan.id)
      if (known?.plan.revision === plan.revision) continue
      if (known !== undefined) this.#drop(plan.id)
      const withinMs = when === 'start' ? Math.min(plan.runIntervalSeconds * 1000, SPREAD_MS) : NEW_WITHIN_MS
      this.#entries.set(plan.id, { plan, dueMs: now + withinMs * this.#random() })
    }
    this.#wakeForAll()
  }

  /** Runs these checks, or all, as soon as slots are free. A running check is not started twice. */
  runNow(ids: readonly number[] | null): void {
    const now = performance.now()
    for (const id of ids ?? this.#entries.keys()) {
      const entry = this.#entries.get(id)
      if (entry !== undefined && !this.#running.has(id)) entry.dueMs = Math.min(entry.dueMs, now)
    }
    this.#collectDue()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    clearTimeout(this.#timer)
    this.#entries.clear()
    this.#ready.clear()
    for (const { abort } of this.#running.values()) abort.abort()
    const over = Promise.withResolvers<void>()
    const patience = setTimeout(() => over.resolve(), LAST_RUNS_MS)
    await Promise.race([Promise.all([...this.#running.values()].map(({ ended }) => ended)), over.promise])
    clearTimeout(patience)
  }

  #drop(id: number): void {
    this.#entries.delete(id)
    this.#ready.delete(id)
    this.#running.get(id)?.abort.abort()
  }

  #collectDue(): void {
    const now = performance.now()
    const due = [...this.#entries.values()].filter(
      ({ plan, dueMs }) => dueMs <= now && !this.#ready.has(plan.id) && !this.#running.has(plan.id),
    )
    for (const { plan } of due.toSorted((a, b) => a.dueMs - b.dueMs)) this.#ready.add(plan.id)
    this.#startReady()
    this.#wakeForAll()
  }

  #startReady(): void {
    for (const id of this.#ready) {
      if (this.#running.size >= MAX_AT_ONCE) return
      this.#ready.delete(id)
      const entry = this.#entries.get(id)
      if (entry !== undefined) this.#start(entry)
    }
  }

  #start(entry: Entry): void {
    const { id, runIntervalSeconds } = entry.plan
    const stretch = 1 + JITTER * (2 * this.#random() - 1)
    entry.dueMs = performance.now() + runIntervalSeconds * 1000 * stretch
    const abort = new AbortController()
    const ended = this.#run(id, abort.signal).finally(() => {
      this.#running.delete(id)
      if (this.#isDisposed) return
      this.#startReady()
      // It may be due again, or have been changed meanwhile.
      const next = this.#entries.get(id)
      if (next !== undefined) this.#wakeAt(next.dueMs)
    })
    this.#running.set(id, { abort, ended })
  }

  #wakeForAll(): void {
    let first = Infinity
    for (const { plan, dueMs } of this.#entries.values())
      if (dueMs < first && !this.#ready.has(plan.id) && !this.#running.has(plan.id)) first = dueMs
    clearTimeout(this.#timer)
    this.#wakesAtMs = Infinity
    if (first !== Infinity) this.#wakeAt(first)
  }

  #wakeAt(dueMs: number): void {
    if (this.#isDisposed || dueMs >= this.#wakesAtMs) return
    clearTimeout(this.#timer)
    this.#wakesAtMs = dueMs
    this.#timer = setTimeout(
      () => this.#collectDue(),
      Math.max(MIN_WAIT_MS, Math.ceil(dueMs - performance.now())),
    )
  }
}
