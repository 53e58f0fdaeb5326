import type { CheckSettings } from '@muster/contract/api/checks'
import type { TaskAction } from '@muster/contract/api/tasks'
import type { PolicyContent } from '@muster/contract/policies/policy-content'
import type { Db } from '../../platform/database/database.ts'
import { findTemplates } from '../alerts/templates/queries.ts'
import { readTemplate } from '../alerts/templates/stored-template.ts'
import { readSettings } from '../checks/view.ts'
import type { ScriptUse } from '../scripts/script-uses.ts'
import { readTaskActions } from '../tasks/view.ts'
import { loadPolicySet } from './policy-set.ts'

/** Alert templates, policies, and tasks and checks of machines that run one of these scripts. */
export async function findScriptUses(db: Db, ids: ReadonlySet<number>): Promise<ScriptUse[]> {
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
      ...usesOfPatches(content, text),
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

function usesOfPatches({ patches: { scripts } }: PolicyContent, text: string): ScriptUse[] {
  const ids = [scripts?.before, scripts?.after].filter((id) => id !== null && id !== undefined)
  return ids.map((script) => useOf({ script, script_args: [], env_vars: [] }, text))
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
