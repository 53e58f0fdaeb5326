import type { Insertable, Selectable, Updateable } from 'kysely'
import {
  type Script,
  type ScriptDetail,
  ScriptParameter,
  type ServerApproval,
} from '@muster/contract/api/scripts'
import { Platform } from '@muster/contract/fields'
import { z } from 'zod'
import type { Db } from '../../platform/database/database.ts'
import type { ScriptsTable } from '../../platform/database/tables/scripts.ts'

export type ScriptRow = Selectable<ScriptsTable>
/** A row of the list, without the body, which may be a megabyte. */
type ScriptListRow = Omit<
  ScriptRow,
  'script_body' | 'script_hash' | 'builtin_key' | 'created_at' | 'modified'
>

export function findScripts(db: Db, show: { community: boolean; hidden: boolean }): Promise<ScriptListRow[]> {
  return db
    .selectFrom('scripts')
    .select([
      'id',
      'name',
      'description',
      'category',
      'shell',
      'script_type',
      'args',
      'env_vars',
      'filename',
      'parameters',
    ])
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

const Texts = z.array(z.string())
const Platforms = z.array(Platform)
const Parameters = z.array(ScriptParameter)

export function readParametersColumn({ parameters }: Pick<ScriptRow, 'parameters'>): ScriptParameter[] {
  return Parameters.parse(JSON.parse(parameters))
}

/** Without `server_approval`, which is not part of the row. */
function viewOwn(row: ScriptListRow): Omit<Script, 'server_approval'> {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    category: row.category,
    shell: row.shell,
    script_type: row.script_type,
    args: Texts.parse(JSON.parse(row.args)),
    env_vars: Texts.parse(JSON.parse(row.env_vars)),
    parameters: readParametersColumn(row),
    filename: row.filename,
    syntax: row.syntax,
    default_timeout: row.default_timeout,
    supported_platforms: Platforms.parse(JSON.parse(row.supported_platforms)),
    favorite: row.favorite === 1,
    hidden: row.hidden === 1,
    run_as_user: row.run_as_user === 1,
  }
}

export function viewScript(row: ScriptListRow, approvals: ReadonlyMap<number, ServerApproval>): Script {
  return { ...viewOwn(row), server_approval: approvals.get(row.id) ?? null }
}

export function viewOwnDetail(row: ScriptRow): Omit<ScriptDetail, 'server_approval'> {
  return {
    ...viewOwn(row),
    script_body: row.script_body,
    script_hash: row.script_hash,
    modified: row.modified,
  }
}

/** The fields of a script in audit rows, which mask values of variables and truncate a long body. */
export function viewForAudit(row: ScriptRow) {
  return { ...viewOwn(row), script_body: row.script_body }
}
