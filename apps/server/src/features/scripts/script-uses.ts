import { AppError } from '@muster/contract/errors'
import { expandSnippets } from '@muster/rules/script-variables'
import type { Db } from '../../platform/database/database.ts'
import { type Caller, mayDo } from '../../platform/http/caller.ts'
import { readTemplate } from '../alert-templates/stored-template.ts'
import { findTemplates } from '../alert-templates/queries.ts'
import { loadPolicySet } from '../automation/policy-set.ts'
import { scriptIdsOf } from '../tasks/view.ts'

/** Something that runs a script without anybody asking for it. */
export interface ScriptUse {
  script: number
  /** `The task "Nightly" on web-01 runs it`. */
  text: string
  /** The right to run the script there by hand. */
  permission: 'can_run_scripts' | 'can_run_server_scripts'
}

/**
 * Changing a script changes what tasks, checks, policies and alert templates run: refuses callers who may not run it
 * there by hand. Call it in the transaction of the change.
 */
export async function refuseScriptUses(tx: Db, caller: Caller, id: number): Promise<void> {
  const use = await findForbiddenUse(tx, caller, [id])
  if (use !== undefined) refuseUse('This script is in use.', use)
}

/** The same for scripts whose text is another one with other snippets. `codes`: the code of each snippet by name. */
export async function refuseSnippetUses(
  tx: Db,
  caller: Caller,
  { before, after }: { before: ReadonlyMap<string, string>; after: ReadonlyMap<string, string> },
): Promise<void> {
  if (isUnlimited(caller)) return
  const scripts = await tx
    .selectFrom('scripts')
    .select(['id', 'name', 'script_body'])
    .where('script_body', 'like', '%{{%')
    .execute()
  const changed = scripts.filter(
    ({ script_body: body }) =>
      expandSnippets(body, (name) => before.get(name)) !== expandSnippets(body, (name) => after.get(name)),
  )
  const use = await findForbiddenUse(
    tx,
    caller,
    changed.map(({ id }) => id),
  )
  if (use === undefined) return
  const name = changed.find(({ id }) => id === use.script)?.name
  refuseUse(`The script "${name}", which includes this snippet, is in use.`, use)
}

function refuseUse(start: string, { text, permission }: ScriptUse): never {
  throw new AppError('not_allowed', `${start} ${text}. Your role needs ${permission} to change it.`)
}

function isUnlimited(caller: Caller): boolean {
  return mayDo(caller, 'can_run_scripts') && mayDo(caller, 'can_run_server_scripts')
}

async function findForbiddenUse(
  tx: Db,
  caller: Caller,
  ids: readonly number[],
): Promise<ScriptUse | undefined> {
  // Most callers may do both, and uses are expensive to find.
  if (ids.length === 0 || isUnlimited(caller)) return undefined
  const uses = await findScriptUses(tx, new Set(ids))
  return uses.find(({ permission }) => !mayDo(caller, permission))
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
      const text = `The alert template "${name}" runs it`
      if (settings[`${kind}_type`] === 'server')
        uses.push({ script, text: `${text} on the server`, permission: 'can_run_server_scripts' })
      else uses.push({ script, text, permission: 'can_run_scripts' })
    }
  }
  return uses
}

async function findPolicyUses(db: Db, ids: ReadonlySet<number>): Promise<ScriptUse[]> {
  const { policies } = await loadPolicySet(db)
  return Array.from(policies.values()).flatMap(({ document: { name, content } }) =>
    [
      ...content.checks.flatMap(({ settings }) =>
        settings.check_type === 'script' ? [settings.script] : [],
      ),
      ...content.tasks.flatMap(({ task }) => scriptIdsOf(task)),
    ]
      .filter((script) => ids.has(script))
      .map((script): ScriptUse => {
        return { script, text: `The policy "${name}" runs it`, permission: 'can_run_scripts' }
      }),
  )
}

/** Of tasks and checks that machines have of their own; policies are named themselves. */
async function findOwnUses(db: Db, ids: ReadonlySet<number>): Promise<ScriptUse[]> {
  const tasks = await db
    .selectFrom('task_scripts')
    .innerJoin('tasks', 'tasks.id', 'task_scripts.task_id')
    .innerJoin('agents', 'agents.agent_id', 'tasks.agent_id')
    .select(['task_scripts.script_id as script', 'tasks.name', 'agents.hostname'])
    .where('task_scripts.script_id', 'in', [...ids])
    .where('tasks.policy_id', 'is', null)
    .orderBy('tasks.id')
    .execute()
  const checks = await db
    .selectFrom('checks')
    .innerJoin('agents', 'agents.agent_id', 'checks.agent_id')
    .select(['checks.script_id as script', 'agents.hostname'])
    .where('checks.script_id', 'in', [...ids])
    .where('checks.policy_id', 'is', null)
    .orderBy('checks.id')
    .execute()
  const permission = 'can_run_scripts' as const
  return [
    ...tasks.map(({ script, name, hostname }) => {
      return { script, text: `The task "${name}" on ${hostname} runs it`, permission }
    }),
    ...checks.flatMap(({ script, hostname }) =>
      script === null ? [] : [{ script, text: `A check on ${hostname} runs it`, permission }],
    ),
  ]
}
