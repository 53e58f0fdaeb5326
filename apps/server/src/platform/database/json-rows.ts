import { type Insertable, PostgresAdapter, type RawBuilder, type Selectable, sql } from 'kysely'
import type { Database, Db } from './database.ts'
import { storable } from './sql.ts'

type Table = keyof Database
type ColumnOf<Name extends Table> = keyof Selectable<Database[Name]> & string

/**
 * Rows as a table inside a statement: one parameter of JSON instead of one for each value. The statement is the same
 * for any number of rows, so it is compiled and prepared once, which costs more than the values. They get the types of
 * the columns of `table`; bytes are not possible.
 *
 *     tx.updateTable('agent_history')
 *       .from(jsonRows(tx, 'agent_history', ['id', 'state'], rows).as('given'))
 *       .set((eb) => ({ state: eb.ref('given.state') }))
 *       .whereRef('agent_history.id', '=', 'given.id')
 */
export function jsonRows<Name extends Table, Column extends ColumnOf<Name>>(
  db: Db,
  table: Name,
  columns: readonly Column[],
  rows: readonly Pick<Selectable<Database[Name]>, Column>[],
): RawBuilder<Pick<Selectable<Database[Name]>, Column>> {
  const json = toJson(rows, columns)
  if (db.getExecutor().adapter instanceof PostgresAdapter) {
    const list = sql.join(columns.map((column) => sql.ref(column)))
    return sql`(select ${list} from json_populate_recordset(null::${sql.table(table)}, ${json}::json))`
  }
  const list = sql.join(columns.map((column) => sql`value ->> ${sql.lit(column)} as ${sql.ref(column)}`))
  return sql`(select ${list} from json_each(${json}))`
}

/** Inserts rows with the columns of the first one, by `jsonRows`. The caller adds clauses and executes it. */
export function insertRows<Name extends Table>(
  db: Db,
  table: Name,
  rows: readonly Insertable<Database[Name]>[],
) {
  // A row to insert is a row of the table without the columns that the database fills.
  const given = rows as unknown as readonly Selectable<Database[Name]>[]
  const columns = Object.keys(rows[0] ?? {}) as ColumnOf<Name>[]
  // Without a condition SQLite reads `on conflict` as part of the select.
  return db
    .insertInto(table)
    .columns(columns as never)
    .expression(sql`select * from ${jsonRows(db, table, columns, given)} as given where true`)
}

/** Lone surrogates and U+0000 become the replacement character, as in other parameters. */
function toJson(rows: readonly object[], columns: readonly string[]): string {
  const given = rows.map((row) =>
    Object.fromEntries(columns.map((column) => [column, Reflect.get(row, column) as unknown])),
  )
  const json = JSON.stringify(given)
  if (!json.includes(String.raw`\u0000`) && !json.includes(String.raw`\ud`)) return json
  return JSON.stringify(given, (_, value: unknown) => {
    const kept = storable(value)
    return typeof kept === 'string' ? kept.toWellFormed() : kept
  })
}
