import type { Kysely } from 'kysely'
import { instantColumn } from '../columns.ts'

export const name = '0005-server-checks'
export const changesData = false

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('server_check_runs')
    .addColumn('check_id', 'integer', (col) => col.primaryKey().references('checks.id').onDelete('cascade'))
    .addColumn('due_at', ...instantColumn())
    .addColumn('claimed_by', 'text')
    .addColumn('claimed_until', 'text')
    .execute()
  await db.schema.createIndex('server_check_runs_due').on('server_check_runs').column('due_at').execute()
}
