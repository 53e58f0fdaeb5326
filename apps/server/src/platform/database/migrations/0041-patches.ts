import { type Kysely } from 'kysely'
import { type Engine, instantColumn, jsonColumn } from '../columns.ts'

export const name = '0041-patches'
export const changesData = false

/** Available patches: some dozen entries per machine, always read and replaced as a whole. */
export async function up(db: Kysely<unknown>, _engine: Engine): Promise<void> {
  await db.schema
    .createTable('machine_patches')
    .addColumn('agent', 'integer', (col) => col.primaryKey().references('agents.id').onDelete('cascade'))
    .addColumn('hash', 'text', (col) => col.notNull())
    .addColumn('patches', ...jsonColumn('[]'))
    .addColumn('pending', 'integer', (col) => col.notNull())
    .addColumn('left_out', 'integer', (col) => col.notNull())
    .addColumn('problem', 'text')
    .addColumn('looked_at', ...instantColumn())
    .addColumn('changed_at', 'text')
    .execute()
}
