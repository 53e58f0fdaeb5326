import type { Event } from '@muster/contract/events'
import type { Database, Db } from './database.ts'
import type { Transact } from './transaction.ts'

const FIRST_ROWS = 50
const MAX_ROWS = 500
/** Duration of one step. The number of rows per step follows from it, which bounds the wait of other writers. */
const AIM_MS = 15

interface Parts {
  transaction: Transact<Database, Event>
}

/**
 * Deletes rows in short transactions with a pause after each, so that other writers get their turn. `step` deletes at
 * most `limit` rows and returns how many; `take` repeats it until nothing is left. Throws the signal's reason when the
 * server stops. The next run deletes the rest.
 *
 *     const steps = new DeletionSteps(ctx, signal)
 *     await steps.take((tx, limit) => deleteEntriesBefore(tx, before, limit))
 */
export class DeletionSteps {
  #parts: Parts
  #signal: AbortSignal
  #limit = FIRST_ROWS
  #rows = 0
  #longestMs = 0

  constructor(parts: Parts, signal: AbortSignal) {
    this.#parts = parts
    this.#signal = signal
  }

  get figures() {
    return { rows: this.#rows, longest_step_ms: Math.round(this.#longestMs) }
  }

  async take(step: (tx: Db, limit: number) => Promise<number>): Promise<void> {
    for (;;) {
      this.#signal.throwIfAborted()
      const limit = this.#limit
      let startedMs = 0
      const deleted = await this.#parts.transaction((tx) => {
        // Starts here, because waiting for the transaction blocks no other query.
        startedMs = performance.now()
        return step(tx, limit)
      })
      const tookMs = performance.now() - startedMs
      this.#rows += deleted
      this.#longestMs = Math.max(this.#longestMs, tookMs)
      if (deleted > 0) this.#limit = nextLimit(limit, tookMs / deleted)
      await new Promise(setImmediate)
      if (deleted < limit) return
    }
  }
}

/** Grows slowly: one quick step must not make the next one long. */
function nextLimit(limit: number, rowMs: number): number {
  const wanted = Math.round(AIM_MS / Math.max(rowMs, AIM_MS / MAX_ROWS))
  return Math.max(1, Math.min(wanted, limit * 2))
}
