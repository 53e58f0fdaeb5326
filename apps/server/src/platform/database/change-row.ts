import { AppError } from '@muster/contract/errors'
import type { Event } from '@muster/contract/events'
import { sql } from 'kysely'
import type { Database, Db } from './database.ts'
import type { Transact } from './transaction.ts'
import { isUniqueViolation } from './sql.ts'

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

/**
 * Locks a row until the transaction ends, so that values read after this call stay true until they are written. On
 * PostgreSQL two users could otherwise both pass the version check. SQLite has no `for update` and needs none.
 */
export async function lockRow<Table extends keyof Database>(
  tx: Db,
  table: Table,
  key: Extract<keyof Database[Table], string>,
  value: number | string,
): Promise<void> {
  const column = sql.ref(key)
  await sql`update ${sql.table(table)} set ${column} = ${column} where ${column} = ${value}`.execute(tx)
}

/** Returns a new `modified`: two saves within one millisecond are still two versions. */
export function laterThan(modified: string, at: Date): string {
  return new Date(Math.max(at.getTime(), Date.parse(modified) + 1)).toISOString()
}

/**
 * Turns a unique violation into a validation error at its field. Wrap it around the transaction, which is void after a
 * violation:
 *
 *     return refuseTaken({ field: 'name', sentence }, () => ctx.transaction(async (tx, emit) => { ... }))
 */
export async function refuseTaken<Result>(
  taken: { field: string; sentence: string },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    if (!isUniqueViolation(cause)) throw cause
    throw new AppError('conflict', taken.sentence, { fields: { [taken.field]: [taken.sentence] }, cause })
  }
}
