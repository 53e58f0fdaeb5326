import type { CheckSettings } from '@muster/contract/api/checks'
import type { TaskAction } from '@muster/contract/api/tasks'
import { AppError } from '@muster/contract/errors'
import { expandSnippets } from '@muster/rules/agents/script-variables'
import type { Db } from '../../platform/database/database.ts'
import { type Caller, mayDo } from '../../platform/http/caller.ts'
import { readTemplate } from '../alerts/templates/stored-template.ts'
import { findTemplates } from '../alerts/templates/queries.ts'
import { loadPolicySet } from '../policies/policy-set.ts'
import { readSettings } from '../checks/view.ts'
import { findKeyRefusal, hasRestrictedKeys, refuseKeys } from '../keystore/key-use.ts'
import { readTaskActions } from '../tasks/view.ts'
import type { ScriptRow } from './queries.ts'

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
export async function refuseScriptUses(tx: Db, caller: Caller, id: number): Promise<void> {
  const forbidden = await findForbiddenUse(tx, caller, [id])
  if (forbidden !== undefined) refuseUse('This script is in use.', forbidden)
}

/** Refuses changes of snippets that change such scripts. `codes`: the code of each snippet by name. */
export async function refuseSnippetUses(
  tx: Db,
  caller: Caller,
  { before, after }: { before: ReadonlyMap<string, string>; after: ReadonlyMap<string, string> },
): Promise<void> {
  if (await isUnlimited(tx, caller)) return
  const scripts = await tx
    .selectFrom('scripts')
    .select(['id', 'name', 'script_body', 'args', 'env_vars'])
    .where('script_body', 'like', '%{{%')
    .execute()
  const changed = scripts.filter(
    ({ script_body: body }) =>
      expandSnippets(body, (name) => before.get(name)) !== expandSnippets(body, (name) => after.get(name)),
  )
  await refuseKeys(tx, caller, changed.flatMap(ownTexts))
  const forbidden = await findForbiddenUse(
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
  tx: Db,
  caller: Caller,
  ids: readonly number[],
): Promise<Forbidden | undefined> {
  if (ids.length === 0 || (await isUnlimited(tx, caller))) return undefined
  const uses = await findScriptUses(tx, new Set(ids))
  const use = uses.find(({ permission }) => !mayDo(caller, permission))
  if (use !== undefined) return { use, reason: `Your role needs ${use.permission} to change it.` }
  const texts = uses.flatMap((one) => one.texts)
  if ((await findKeyRefusal(tx, caller.userId, texts)) === undefined) return undefined
  for (const one of uses) {
    const reason = await findKeyRefusal(tx, caller.userId, one.texts)
    if (reason !== undefined) return { use: one, reason }
  }
  return undefined
}

async function findScriptUses(db: Db, ids: ReadonlySet<number>): Promise<ScriptUse[]> {
  return [
    ...findTemplateUses(await findTemplates(db), ids),
    ...(await findPolicyUses(db, ids)),
    ...(await findOwnUses(db, ids)),
  ]
}

function findTemplateUses(rows: Awaited<ReturnType<typeof findTemplates>>, ids: ReadonlySet<number>) {
  const uses: ScriptUse[] = []
  for (const { name, settings } of rows.map(readTemplate)) {
    for (const kind of ['action', 'resolved_action'] as const) {
      const script = settings[kind]
      if (script === null || !ids.has(script)) continue
      const texts = [...settings[`${kind}_args`], ...settings[`${kind}_env_vars`]]
      const text = `The alert template "${name}" runs it`
      if (settings[`${kind}_type`] === 'server')
        uses.push({ script, text: `${text} on the server`, permission: 'can_run_server_scripts', texts })
      else uses.push({ script, text, permission: 'can_run_scripts', texts })
    }
  }
  return uses
}

async function findPolicyUses(db: Db, ids: ReadonlySet<number>): Promise<ScriptUse[]> {
  const { policies } = await loadPolicySet(db)
  return Array.from(policies.values()).flatMap(({ document: { name, content } }) => {
    const text = `The policy "${name}" runs it`
    return [
      ...content.checks.flatMap(({ settings }) => usesOfCheck(settings, text)),
      ...content.tasks.flatMap(({ task }) => usesOfActions(task.actions, text)),
    ].filter(({ script }) => ids.has(script))
  })
}

/** Uses by machines' own tasks and checks. Policies are listed themselves. */
async function findOwnUses(db: Db, ids: ReadonlySet<number>): Promise<ScriptUse[]> {
  const tasks = await db
    .selectFrom('tasks')
    .innerJoin('agents', 'agents.agent_id', 'tasks.agent_id')
    .select(['tasks.name', 'tasks.actions', 'agents.hostname'])
    .where('tasks.id', 'in', (eb) =>
      eb
        .selectFrom('task_scripts')
        .select('task_id')
        .where('script_id', 'in', [...ids]),
    )
    .where('tasks.policy_id', 'is', null)
    .orderBy('tasks.id')
    .execute()
  const checks = await db
    .selectFrom('checks')
    .innerJoin('agents', 'agents.agent_id', 'checks.agent_id')
    .select(['checks.check_type', 'checks.settings', 'agents.hostname'])
    .where('checks.script_id', 'in', [...ids])
    .where('checks.policy_id', 'is', null)
    .orderBy('checks.id')
    .execute()
  return [
    ...tasks.flatMap((task) =>
      usesOfActions(readTaskActions(task), `The task "${task.name}" on ${task.hostname} runs it`),
    ),
    ...checks.flatMap((check) => usesOfCheck(readSettings(check), `A check on ${check.hostname} runs it`)),
  ].filter(({ script }) => ids.has(script))
}

function usesOfActions(actions: readonly TaskAction[], text: string): ScriptUse[] {
  return actions.flatMap((action) => (action.type === 'script' ? [useOf(action, text)] : []))
}

function usesOfCheck(settings: CheckSettings, text: string): ScriptUse[] {
  return settings.check_type === 'script' ? [useOf(settings, text)] : []
}

function useOf(
  { script, script_args, env_vars }: { script: number; script_args: string[]; env_vars: string[] },
  text: string,
): ScriptUse {
  return { script, text, permission: 'can_run_scripts', texts: [...script_args, ...env_vars] }
}

/** Default arguments and variables of a script. */
export function ownTexts({ args, env_vars }: Pick<ScriptRow, 'args' | 'env_vars'>): string[] {
  // Stored by script-columns.ts from the contract's lists.
  return [...(JSON.parse(args) as string[]), ...(JSON.parse(env_vars) as string[])]
}
