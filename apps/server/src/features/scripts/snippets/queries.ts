import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Snippet } from '@muster/contract/api/snippets'
import type { Db } from '../../../platform/database/database.ts'
import type { ScriptSnippetsTable } from '../../../platform/database/tables/scripts.ts'

export type SnippetRow = Selectable<ScriptSnippetsTable>

export function findSnippets(db: Db): Promise<SnippetRow[]> {
  return db.selectFrom('script_snippets').selectAll().orderBy('name').execute()
}

export function findSnippet(db: Db, id: number): Promise<SnippetRow | undefined> {
  return db.selectFrom('script_snippets').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The code of each snippet by name. */
export async function findSnippetCodes(db: Db): Promise<Map<string, string>> {
  const rows = await db.selectFrom('script_snippets').select(['name', 'code']).execute()
  return new Map(rows.map(({ name, code }) => [name, code]))
}

export function insertSnippet(tx: Db, row: Insertable<ScriptSnippetsTable>): Promise<SnippetRow> {
  return tx.insertInto('script_snippets').values(row).returningAll().executeTakeFirstOrThrow()
}

export function updateSnippet(
  tx: Db,
  id: number,
  change: Updateable<ScriptSnippetsTable>,
): Promise<SnippetRow> {
  return tx
    .updateTable('script_snippets')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteSnippetRow(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('script_snippets').where('id', '=', id).execute()
}

export function viewSnippet({ id, name, description, code, shell, modified }: SnippetRow): Snippet {
  return { id, name, desc: description, code, shell, modified }
}

/** The fields of a snippet in audit rows. */
export function viewForAudit({ name, description, code, shell }: SnippetRow) {
  return { name, desc: description, code, shell }
}
