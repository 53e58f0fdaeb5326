import { sql, type Expression, type OrderByItemBuilder, type SqlBool } from 'kysely'

const SQLITE_UNIQUE = 2067
const SQLITE_PRIMARY_KEY = 1555
const SQLITE_FOREIGN_KEY = 787
const POSTGRES_UNIQUE = '23505'
const POSTGRES_FOREIGN_KEY = '23503'

/**
 * Whether the column has the text in it, in any case: `.where((eb) => contains(eb.ref('agents.hostname'), text))`.
 * `%` and `_` in the text mean themselves.
 */
export function contains(column: Expression<string | null>, text: string): Expression<SqlBool> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  return sql<SqlBool>`lower(${column}) like lower(${pattern}) escape '\\'`
}

/**
 * Order with empty values at the end on both engines, in either direction:
 * `.orderBy('last_seen', nullsLast('desc'))`.
 */
export function nullsLast(direction: 'asc' | 'desc') {
  return (column: OrderByItemBuilder) => column[direction]().nullsLast()
}

/**
 * Whether a write failed because the value is taken. On PostgreSQL the transaction around it is void from then
 * on, so catch it outside of the transaction, or write with `onConflict`.
 */
export function isUniqueViolation(error: unknown): boolean {
  return hasCode(error, [SQLITE_UNIQUE, SQLITE_PRIMARY_KEY], POSTGRES_UNIQUE)
}

/** Whether a write failed because the row it names does not exist, or is still named by others. */
export function isForeignKeyViolation(error: unknown): boolean {
  return hasCode(error, [SQLITE_FOREIGN_KEY], POSTGRES_FOREIGN_KEY)
}

function hasCode(error: unknown, sqliteCodes: readonly number[], postgresCode: string): boolean {
  if (!(error instanceof Error)) return false
  if ('errcode' in error && typeof error.errcode === 'number') return sqliteCodes.includes(error.errcode)
  return 'code' in error && error.code === postgresCode
}
