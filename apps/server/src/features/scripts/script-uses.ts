import { AppError } from '@muster/contract/errors'
import { expandSnippets } from '@muster/rules/agents/script-variables'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { authorOf, type Caller, mayDo } from '../../platform/http/caller.ts'
import { findKeyRefusal, hasRestrictedKeys, refuseKeys } from '../keystore/key-use.ts'
import { readParametersColumn, type ScriptRow } from './queries.ts'

/** A configuration that runs a script automatically. */
export interface ScriptUse {
  script: number
  /** `The task "Nightly" on web-01 runs it`. */
  text: string
  /** The right to run the script there directly. */
  permission: 'can_run_scripts' | 'can_run_server_scripts'
  /** Arguments and variables, which may name keys of the store. */
  texts: readonly string[]
}

/**
 * Changing a script changes what tasks, checks, policies and alert templates run: refuses callers who may not run it
 * there directly, with the same keys of the store. Call it in the transaction of the change.
 */
export async function refuseScriptUses(ctx: Context, tx: Db, caller: Caller, id: number): Promise<void> {
  const forbidden = await findForbiddenUse(ctx, tx, caller, [id])
  if (forbidden !== undefined) refuseUse('This script is in use.', forbidden)
}

/** Refuses changes of snippets that change such scripts. `codes`: the code of each snippet by name. */
export async function refuseSnippetUses(
  ctx: Context,
  tx: Db,
  caller: Caller,
  { before, after }: { before: ReadonlyMap<string, string>; after: ReadonlyMap<string, string> },
): Promise<void> {
  if (await isUnlimited(tx, caller)) return
  const scripts = await tx
    .selectFrom('scripts')
    .select(['id', 'name', 'script_body', 'args', 'env_vars', 'parameters'])
    .where('script_body', 'like', '%{{%')
    .execute()
  const changed = scripts.filter(
    ({ script_body: body }) =>
      expandSnippets(body, (name) => before.get(name)) !== expandSnippets(body, (name) => after.get(name)),
  )
  await refuseKeys(tx, caller, changed.flatMap(ownTexts))
  const forbidden = await findForbiddenUse(
    ctx,
    tx,
    caller,
    changed.map(({ id }) => id),
  )
  if (forbidden === undefined) return
  const name = changed.find(({ id }) => id === forbidden.use.script)?.name
  refuseUse(`The script "${name}", which includes this snippet, is in use.`, forbidden)
}

interface Forbidden {
  use: ScriptUse
  reason: string
}

function refuseUse(start: string, { use, reason }: Forbidden): never {
  throw new AppError('not_allowed', `${start} ${use.text}. ${reason}`)
}

/** Uses are expensive to find, and most callers may do everything. */
async function isUnlimited(db: Db, caller: Caller): Promise<boolean> {
  if (!mayDo(caller, 'can_run_scripts') || !mayDo(caller, 'can_run_server_scripts')) return false
  return caller.isSuperuser || !(await hasRestrictedKeys(db))
}

async function findForbiddenUse(
  { hooks }: Context,
  tx: Db,
  caller: Caller,
  ids: readonly number[],
): Promise<Forbidden | undefined> {
  if (ids.length === 0 || (await isUnlimited(tx, caller))) return undefined
  const uses = await hooks.findScriptUses(tx, new Set(ids))
  const use = uses.find(({ permission }) => !mayDo(caller, permission))
  if (use !== undefined) return { use, reason: `Your role needs ${use.permission} to change it.` }
  const texts = uses.flatMap((one) => one.texts)
  if ((await findKeyRefusal(tx, authorOf(caller), texts)) === undefined) return undefined
  for (const one of uses) {
    const reason = await findKeyRefusal(tx, authorOf(caller), one.texts)
    if (reason !== undefined) return { use: one, reason }
  }
  return undefined
}

/** Default arguments and variables of a script. */
export function ownTexts({
  args,
  env_vars,
  parameters,
}: Pick<ScriptRow, 'args' | 'env_vars' | 'parameters'>): string[] {
  const defaults = readParametersColumn({ parameters }).map((parameter) => parameter.default)
  // Stored by script-columns.ts from the contract's lists.
  return [...(JSON.parse(args) as string[]), ...(JSON.parse(env_vars) as string[]), ...defaults]
}
