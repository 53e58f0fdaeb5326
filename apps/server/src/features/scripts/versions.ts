import { ScriptContent, type ScriptVersion } from '@muster/contract/api/scripts'
import type { Selectable } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import { requireRow } from '../../platform/database/change-row.ts'
import type { ScriptVersionsTable } from '../../platform/database/tables/scripts.ts'
import { type ScriptRow, viewOwnDetail } from './queries.ts'

/** Per script. The oldest are deleted. */
const MAX_VERSIONS = 100

type VersionRow = Selectable<ScriptVersionsTable>

/** Stores the state in which a script has just been saved. */
export async function keepVersion(tx: Db, row: ScriptRow, username: string): Promise<void> {
  await tx
    .insertInto('script_versions')
    .values({
      script_id: row.id,
      username,
      saved_at: row.modified,
      // Parsing removes other fields.
      content: JSON.stringify(ScriptContent.parse(viewOwnDetail(row))),
    })
    .execute()
  const oldest = await tx
    .selectFrom('script_versions')
    .select('id')
    .where('script_id', '=', row.id)
    .orderBy('id', 'desc')
    .offset(MAX_VERSIONS - 1)
    .limit(1)
    .executeTakeFirst()
  if (oldest === undefined) return
  await tx.deleteFrom('script_versions').where('script_id', '=', row.id).where('id', '<', oldest.id).execute()
}

/** Called before the first change of a script that is older than versions. */
export async function keepFirstVersion(tx: Db, row: ScriptRow): Promise<void> {
  const known = await tx
    .selectFrom('script_versions')
    .select('id')
    .where('script_id', '=', row.id)
    .limit(1)
    .executeTakeFirst()
  if (known === undefined) await keepVersion(tx, row, '')
}

export async function findVersions(db: Db, scriptId: number): Promise<ScriptVersion[]> {
  return db
    .selectFrom('script_versions')
    .select(['id', 'username', 'saved_at'])
    .where('script_id', '=', scriptId)
    .orderBy('id', 'desc')
    .execute()
}

export async function requireVersion(db: Db, scriptId: number, id: number): Promise<VersionRow> {
  const row = await db
    .selectFrom('script_versions')
    .selectAll()
    .where('script_id', '=', scriptId)
    .where('id', '=', id)
    .executeTakeFirst()
  return requireRow(row, 'version of the script')
}

export function viewVersion(row: VersionRow): ScriptVersion & { content: ScriptContent } {
  const { id, username, saved_at } = row
  return { id, username, saved_at, content: ScriptContent.parse(JSON.parse(row.content)) }
}
