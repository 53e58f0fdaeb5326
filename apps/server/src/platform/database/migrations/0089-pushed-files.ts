import type { Migration } from '../migrate.ts'

/** Whether agents know how to write files of jobs. */
export const pushedFiles: Migration = {
  name: '0089-pushed-files',
  changesData: false,
  async up(db) {
    await db.schema.alterTable('agents').addColumn('pushes_files', 'integer').execute()
  },
}
