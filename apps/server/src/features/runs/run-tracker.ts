import type { Context } from '../../context.ts'
import { isFinal } from '@muster/rules/agents/history-state'
import { findRuns, type HistoryRow } from './queries.ts'

/** Waits for the end of runs, whichever process their machine reports to. */
export class RunTracker implements Disposable {
  #ctx: Context
  #waiting = new Map<number, Set<() => void>>()
  #stopped = false

  constructor(ctx: Context) {
    this.#ctx = ctx
    ctx.onEvent((event) => {
      if (event.type !== 'history.changed') return
      for (const id of event.ids) for (const wake of this.#waiting.get(Number(id)) ?? []) wake()
    })
  }

  /** Returns the row when it has ended, or its current state after `timeoutMs` or when `signal` aborts. */
  async waitForEnd(id: number, timeoutMs: number, signal: AbortSignal): Promise<HistoryRow | undefined> {
    const deadline = Date.now() + timeoutMs
    for (;;) {
      const changed = this.#nextChange(id, deadline - Date.now(), signal)
      const [row] = await findRuns(this.#ctx.db, [id])
      if (
        row === undefined ||
        isFinal(row.state) ||
        signal.aborted ||
        this.#stopped ||
        Date.now() >= deadline
      ) {
        changed.cancel()
        return row
      }
      await changed.promise
    }
  }

  /** Answers waiting requests with the current row: the run continues, this server does not. */
  [Symbol.dispose](): void {
    this.#stopped = true
    const wakes = [...this.#waiting.values()].flatMap((waiting) => [...waiting])
    for (const wake of wakes) wake()
  }

  /** Subscribes before the row is read, so that no change is missed. */
  #nextChange(
    id: number,
    timeoutMs: number,
    signal: AbortSignal,
  ): { promise: Promise<void>; cancel: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wakes = this.#waiting.get(id) ?? new Set()
    this.#waiting.set(id, wakes)
    const wake = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', wake)
      wakes.delete(wake)
      if (wakes.size === 0 && this.#waiting.get(id) === wakes) this.#waiting.delete(id)
      resolve()
    }
    const timer = setTimeout(wake, Math.max(0, timeoutMs))
    signal.addEventListener('abort', wake)
    wakes.add(wake)
    return { promise, cancel: wake }
  }
}
