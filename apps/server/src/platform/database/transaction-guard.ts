import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Knows whether the code that is running belongs to an open transaction of this database. A query that asks
 * for a second connection there would wait for the transaction that waits for the query: on SQLite at once,
 * on PostgreSQL when the pool is used up. Both engines refuse it, so that the fault shows in the first test.
 */
export class TransactionGuard {
  #storage = new AsyncLocalStorage<{ open: boolean }>()

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const transaction = { open: true }
    try {
      return await this.#storage.run(transaction, work)
    } finally {
      // What the work started and left behind (a timer, a log write) is no longer inside.
      transaction.open = false
    }
  }

  refuseInside(): void {
    if (this.#storage.getStore()?.open !== true) return
    throw new Error(
      'A query inside a transaction used `db` (or began a second transaction) and would wait for itself for ever: use the `tx` that the transaction was given',
    )
  }
}
