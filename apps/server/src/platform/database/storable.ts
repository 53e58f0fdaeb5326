import { PostgresQueryCompiler, SqliteQueryCompiler } from 'kysely'

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
