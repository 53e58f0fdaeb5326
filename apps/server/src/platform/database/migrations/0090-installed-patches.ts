import { jsonColumn } from '../columns.ts'
import type { Migration } from '../migrate.ts'

/** The installed patches of machines. */
export const installedPatches: Migration = {
  name: '0090-installed-patches',
  changesData: false,
  async up(db) {
    await db.schema
      .createTable('installed_patches')
      .addColumn('agent', 'integer', (col) => col.primaryKey().references('agents.id').onDelete('cascade'))
      .addColumn('patches', ...jsonColumn('[]'))
      .execute()
  },
}
