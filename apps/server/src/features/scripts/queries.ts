import { type Insertable, type Selectable, type Updateable } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { ScriptsTable } from '../../platform/database/tables/scripts.ts'

export type ScriptRow = Selectable<ScriptsTable>
/** A row of the list, without the body, which may be a megabyte. */
export type ScriptListRow = Omit<
  ScriptRow,
  'script_body' | 'script_hash' | 'builtin_key' | 'created_at' | 'modified'
>

export function findScripts(db: Db, show: { community: boolean; hidden: boolean }): Promise<ScriptListRow[]> {
  return db
    .selectFrom('scripts')
    .select(['id', 'name', 'description', 'category', 'shell', 'script_type', 'args', 'env_vars', 'filename'])
    .select(['syntax', 'default_timeout', 'supported_platforms', 'favorite', 'hidden', 'run_as_user'])
    .$if(!show.community, (query) => query.where('script_type', '!=', 'builtin'))
    .$if(!show.hidden, (query) => query.where('hidden', '=', 0))
    .orderBy('name')
    .execute()
}

export function findScript(db: Db, id: number): Promise<ScriptRow | undefined> {
  return db.selectFrom('scripts').selectAll().where('id', '=', id).executeTakeFirst()
}

export function insertScript(db: Db, script: Insertable<ScriptsTable>): Promise<ScriptRow> {
  return db.insertInto('scripts').values(script).returningAll().executeTakeFirstOrThrow()
}

export function updateScript(tx: Db, id: number, change: Updateable<ScriptsTable>): Promise<ScriptRow> {
  return tx.updateTable('scripts').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

export async function deleteScriptRow(db: Db, id: number): Promise<void> {
  await db.deleteFrom('scripts').where('id', '=', id).execute()
}
