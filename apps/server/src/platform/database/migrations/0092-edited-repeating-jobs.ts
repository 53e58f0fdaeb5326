import type { Migration } from '../migrate.ts'

/** Repeating jobs can be edited; null = as created. */
export const editedRepeatingJobs: Migration = {
  name: '0092-edited-repeating-jobs',
  changesData: false,
  async up(db) {
    await db.schema.alterTable('repeating_jobs').addColumn('modified', 'text').execute()
    await db.schema.alterTable('repeating_jobs').addColumn('created_by', 'text').execute()
  },
}
