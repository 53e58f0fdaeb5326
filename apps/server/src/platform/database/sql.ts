import {
  type Expression,
  type OrderByItemBuilder,
  PostgresQueryCompiler,
  sql,
  type SqlBool,
  SqliteQueryCompiler,
} from 'kysely'

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

/** Values per statement: SQLite allows 32,766, and equal statements are prepared once. */
const SLICE = 250

/** Splits a list into parts that fit one statement: `for (const ids of chunk(all))`. */
export function chunk<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / SLICE)
  return Array.from({ length: count }, (_, index) => items.slice(index * SLICE, (index + 1) * SLICE))
}

/**
 * PostgreSQL refuses U+0000 in text, and SQLite's tools truncate there, but machines send it (binary output, hostile
 * names). Both engines store the replacement character instead, as they do for lone surrogates.
 */
export function storable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
}

export class StorableSqliteCompiler extends SqliteQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(storable(parameter))
  }
}

export class StorablePostgresCompiler extends PostgresQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(storable(parameter))
  }
}
