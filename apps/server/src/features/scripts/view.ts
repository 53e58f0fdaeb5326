import type { Script, ScriptDetail, ServerApproval } from '@muster/contract/api/scripts'
import { Platform } from '@muster/contract/fields'
import { z } from 'zod'
import type { ScriptListRow, ScriptRow } from './queries.ts'

const Texts = z.array(z.string())
const Platforms = z.array(Platform)

/** Without `server_approval`, which is not part of the row. */
export function viewOwn(row: ScriptListRow): Omit<Script, 'server_approval'> {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    category: row.category,
    shell: row.shell,
    script_type: row.script_type,
    args: Texts.parse(JSON.parse(row.args)),
    env_vars: Texts.parse(JSON.parse(row.env_vars)),
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
