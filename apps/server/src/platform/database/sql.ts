import { sql, type Expression, type OrderByItemBuilder, type SqlBool } from 'kysely'

const SQLITE_UNIQUE = 2067
const SQLITE_PRIMARY_KEY = 1555
const SQLITE_FOREIGN_KEY = 787
const POSTGRES_UNIQUE = '23505'
const POSTGRES_FOREIGN_KEY = '23503'

/**
 * Case-insensitive substring match: `.where((eb) => contains(eb.ref('agents.hostname'), text))`. `%` and `_` in the
 * text are literal.
 */
export function contains(column: Expression<string | null>, text: string): Expression<SqlBool> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  return sql<SqlBool>`lower(${column}) like lower(${pattern}) escape '\\'`
}

/** Sorts empty values last on both engines, in either direction: `.orderBy('last_seen', nullsLast('desc'))`. */
export function nullsLast(direction: 'asc' | 'desc') {
  return (column: OrderByItemBuilder) => column[direction]().nullsLast()
}

/**
 * Returns true if a write failed because the value is taken. On PostgreSQL the surrounding transaction is then void:
 * catch the error outside it, or write with `onConflict`.
 */
export function isUniqueViolation(error: unknown): boolean {
  return hasCode(error, [SQLITE_UNIQUE, SQLITE_PRIMARY_KEY], POSTGRES_UNIQUE)
}

/** Returns true if a write failed because a referenced row does not exist, or because other rows reference it. */
export function isForeignKeyViolation(error: unknown): boolean {
  return hasCode(error, [SQLITE_FOREIGN_KEY], POSTGRES_FOREIGN_KEY)
}

function hasCode(error: unknown, sqliteCodes: readonly number[], postgresCode: string): boolean {
  if (!(error instanceof Error)) return false
  if ('errcode' in error && typeof error.errcode === 'number') return sqliteCodes.includes(error.errcode)
  return 'code' in error && error.code === postgresCode
}
