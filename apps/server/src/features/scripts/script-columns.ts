import { createHash } from 'node:crypto'
import type { ScriptDetail } from '@muster/contract/api/scripts'
import { storable } from '../../platform/database/sql.ts'
import type { ScriptRow } from './queries.ts'

/** The editable parts of a script. `| undefined` because a change names only some. */
export type ScriptParts = {
  [Name in keyof Omit<ScriptDetail, 'id' | 'script_type' | 'script_hash' | 'server_approval' | 'modified'>]?:
    | ScriptDetail[Name]
    | undefined
}
export type ScriptColumns = Omit<ScriptRow, 'id' | 'script_type' | 'builtin_key' | 'created_at' | 'modified'>

/** The given parts as columns. */
export function toColumns(parts: ScriptParts): Partial<ScriptColumns> {
  const {
    args,
    env_vars,
    parameters,
    supported_platforms,
    favorite,
    hidden,
    run_as_user,
    script_body,
    ...texts
  } = parts
  const columns: { [Name in keyof ScriptColumns]: ScriptColumns[Name] | undefined } = {
    name: texts.name,
    description: texts.description,
    category: texts.category,
    shell: texts.shell,
    filename: texts.filename,
    syntax: texts.syntax,
    default_timeout: texts.default_timeout,
    script_body,
    script_hash: script_body === undefined ? undefined : hashOf(script_body),
    args: listOf(args),
    env_vars: listOf(env_vars),
    parameters: listOf(parameters),
    supported_platforms: listOf(supported_platforms),
    favorite: flagOf(favorite),
    hidden: flagOf(hidden),
    run_as_user: flagOf(run_as_user),
  }
  // Only undefined values were removed, as Partial says.
  return Object.fromEntries(
    Object.entries(columns).filter(([, value]) => value !== undefined),
  ) as Partial<ScriptColumns>
}

/** hex sha256 of the body as stored. */
function hashOf(body: string): string {
  return createHash('sha256')
    .update(String(storable(body)))
    .digest('hex')
}

function listOf(list: readonly unknown[] | undefined): string | undefined {
  return list === undefined ? undefined : JSON.stringify(list)
}

function flagOf(flag: boolean | undefined): 0 | 1 | undefined {
  return flag === undefined ? undefined : flag ? 1 : 0
}
