import { AppError } from '@muster/contract/errors'
import type { Event } from '@muster/contract/events'
import type { Database, Db } from './database.ts'
import { laterThan } from './later-than.ts'
import { refuseTaken } from './refuse-taken.ts'
import type { Transact } from './transaction.ts'

/** Returns the row. Throws `not_found` for a missing one: `This custom field does not exist.` */
export function requireRow<Row>(row: Row | undefined, noun: string): Row {
  if (row === undefined) throw new AppError('not_found', `This ${noun} does not exist.`)
  return row
}

/** The error of a second row with this name. `noun` has its article: `An alert channel`. */
export function takenName(noun: string, name: string): { field: string; sentence: string } {
  return { field: 'name', sentence: `${noun} named "${name}" already exists.` }
}

/** Refuses a save over a newer version. `loaded` is that of the editor; undefined = overwrite any version. */
export function refuseStale({ name, modified }: { name: string; modified: string }, loaded?: string): void {
  if (loaded === undefined || loaded === modified) return
  throw new AppError('changed_meanwhile', `"${name}" was changed by another user. Reload it and try again.`)
}

interface RowChange<Row> {
  taken: { field: string; sentence: string }
  /** The version that the editor loaded. Undefined = overwrite any version. */
  loaded: string | undefined
  /** Returns the row, locked until the transaction ends. */
  lock: (tx: Db) => Promise<Row>
}

/** Changes a named row in one transaction. `store` writes it with `modified`, its new version, and the audit row. */
export function changeRow<Row extends { name: string; modified: string }>(
  ctx: { transaction: Transact<Database, Event>; now: () => Date },
  { taken, loaded, lock }: RowChange<Row>,
  store: (change: {
    tx: Db
    emit: (event: Event) => void
    before: Row
    at: Date
    modified: string
  }) => Promise<Row>,
): Promise<Row> {
  return refuseTaken(taken, () =>
    ctx.transaction(async (tx, emit) => {
      const before = await lock(tx)
      refuseStale(before, loaded)
      const at = ctx.now()
      return store({ tx, emit, before, at, modified: laterThan(before.modified, at) })
    }),
  )
}
