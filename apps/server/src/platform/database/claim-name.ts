import { AppError } from '@muster/contract/errors'
import { findNameProblem, nameKey, normalizeName } from '@muster/contract/names'
import { PostgresAdapter, sql } from 'kysely'
import type { Database, Db } from './database.ts'

interface NameClaim {
  table: keyof Database
  name: string
  taken: { field: string; sentence: string }
  /** The row that has a name already. Its unchanged name is kept, even if it breaks the rule. */
  before?: { id: number; name: string } | undefined
  /** Rows that share the names, such as the sites of a client: `{ client_id: 3 }`. Default: all. */
  within?: Record<string, number | string>
}

/**
 * Returns the name to store, composed and without blanks around it. Throws for invisible characters and for a name of
 * another row that differs only in case or in what nobody sees. The names of the table stay locked until the
 * transaction ends, so that two users cannot take one name together.
 */
export async function claimName(tx: Db, { table, name, taken, before, within }: NameClaim): Promise<string> {
  const wanted = normalizeName(name)
  if (before !== undefined && normalizeName(before.name) === wanted) return before.name
  const problem = findNameProblem(wanted)
  if (problem !== undefined) throw new AppError('invalid', problem, { fields: { [taken.field]: [problem] } })
  await refuseLikeName(tx, { table, name: wanted, taken, before, within: within ?? {} })
  return wanted
}

/** Throws for a name that another row has. For a name that moves to other rows unchanged. */
export async function refuseLikeName(
  tx: Db,
  { table, name, taken, before, within = {} }: NameClaim,
): Promise<void> {
  await lockNames(tx, table)
  const conditions = Object.entries(within).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  const where = conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`
  const { rows } = await sql<{ id: number; name: string }>`
    select id, name from ${sql.table(table)} ${where}`.execute(tx)
  const key = nameKey(name)
  const other = rows.find((row) => row.id !== before?.id && nameKey(row.name) === key)
  if (other === undefined) return
  const sentence = other.name === name ? taken.sentence : `${taken.sentence} Its name is "${other.name}".`
  throw new AppError('conflict', sentence, { fields: { [taken.field]: [sentence] } })
}

/** Until the transaction ends. SQLite has one transaction at a time. */
export async function lockNames(tx: Db, table: string): Promise<void> {
  if (!(tx.getExecutor().adapter instanceof PostgresAdapter)) return
  await sql`select pg_advisory_xact_lock(${sql.lit(NAMES)}, hashtext(${table}))`.execute(tx)
}

/** An arbitrary number among PostgreSQL's advisory locks. */
const NAMES = 7_231_130
