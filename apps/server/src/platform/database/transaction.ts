import type { Transaction } from 'kysely'
import type { OpenDatabase } from './open-database.ts'

/**
 * Runs work in one transaction. If the work throws, nothing is stored. Emitted events leave after the commit, in order,
 * and not at all if the work throws.
 *
 *     const client = await transaction(async (tx, emit) => {
 *       const row = await insertClient(tx, body)
 *       emit({ type: 'client.changed', ids: [row.id] })
 *       return row
 *     })
 *
 * Await nothing but queries of `tx` inside: on SQLite every other query waits until it ends.
 */
export type Transact<DB, Event> = <Result>(
  work: (tx: Transaction<DB>, emit: (event: Event) => void) => Promise<Result>,
) => Promise<Result>

/** `publish` is called once per event after the commit. It must not throw, because the write is already stored. */
export function createTransactor<DB, Event>(
  database: OpenDatabase<DB>,
  publish: (event: Event) => void,
): Transact<DB, Event> {
  return async function transaction(work) {
    const events: Event[] = []
    let open = true
    const emit = (event: Event) => {
      if (!open) throw new Error('An event was emitted after its transaction ended: await all of the work')
      events.push(event)
    }
    try {
      const result = await database.db.transaction().execute((tx) => database.guard.run(() => work(tx, emit)))
      open = false
      for (const event of events) publish(event)
      return result
    } finally {
      open = false
    }
  }
}
