import type { Kysely } from 'kysely'
import { flagColumn } from '../columns.ts'

export const name = '0020-task-results'
export const changesData = false

/** The result of a task can be stored in a custom field. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('tasks')
    .addColumn('custom_field', 'integer', (col) => col.references('custom_fields.id').onDelete('set null'))
    .execute()
  await db.schema
    .alterTable('tasks')
    .addColumn('collector_all_output', ...flagColumn(0))
    .execute()
  await db.schema.createIndex('tasks_custom_field').on('tasks').column('custom_field').execute()
}
