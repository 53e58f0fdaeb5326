/**
 * Column types that the two engines spell differently, for migrations:
 *
 *     .createTable('clients')
 *     .addColumn('id', ...idColumn(engine))
 *     .addColumn('name', 'text', (col) => col.notNull().unique())
 *     .addColumn('created_at', ...instantColumn())
 *     .addColumn('server_policy_id', 'integer', (col) => col.references('policies.id').onDelete('set null'))
 *
 * Types that both engines read alike need no helper: 'text', 'integer' (32 bits on PostgreSQL), 'bigint' (byte counts;
 * arrives as a number), 'double precision' (not 'real', which is 4 bytes on PostgreSQL).
 */
import type { ColumnBuilderCallback } from 'kysely'

export type Engine = 'sqlite' | 'postgres'

type Column<Type extends string> = readonly [type: Type, build: ColumnBuilderCallback]

/** Primary key, assigned by the database and never reused. */
export function idColumn(engine: Engine): Column<'integer'> {
  if (engine === 'sqlite') return ['integer', (col) => col.primaryKey().autoIncrement()]
  return ['integer', (col) => col.generatedByDefaultAsIdentity().primaryKey()]
}

/** A required instant: ISO 8601 UTC text. Use 'text' for an optional one. */
export function instantColumn(): Column<'text'> {
  return ['text', (col) => col.notNull()]
}

/** A flag: 0 or 1, never null. */
export function flagColumn(initial: 0 | 1 = 0): Column<'integer'> {
  return ['integer', (col) => col.notNull().defaultTo(initial)]
}

/** JSON as text, never null, for example `jsonColumn('[]')`. */
export function jsonColumn(initial: string): Column<'text'> {
  return ['text', (col) => col.notNull().defaultTo(initial)]
}

/** Bytes; a Uint8Array in TypeScript. */
export function bytesColumn(engine: Engine): readonly [type: 'blob' | 'bytea'] {
  return [engine === 'sqlite' ? 'blob' : 'bytea']
}
