import { jsonColumn } from '../columns.ts'
import type { Migration } from '../migrate.ts'

/** Parameters that scripts declare. */
export const scriptParameters: Migration = {
  name: '0085-script-parameters',
  changesData: false,
  async up(db) {
    await db.schema
      .alterTable('scripts')
      .addColumn('parameters', ...jsonColumn('[]'))
      .execute()
  },
}
