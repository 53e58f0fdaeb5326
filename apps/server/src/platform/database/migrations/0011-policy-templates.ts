import type { Kysely } from 'kysely'
import { type Engine, jsonColumn } from '../columns.ts'

export const name = '0011-policy-templates'
export const changesData = false

export async function up(db: Kysely<unknown>, _engine: Engine): Promise<void> {
  for (const table of ['sites', 'agents']) {
    await db.schema
      .alterTable(table)
      .addColumn('policy_templates', ...jsonColumn('[]'))
      .execute()
  }
}
