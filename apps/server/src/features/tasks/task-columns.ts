import type { TaskFields } from '@muster/contract/api/tasks'
import { AppError } from '@muster/contract/errors'
import { platformName, scriptFitsPlatform } from '@muster/rules/agents/available-actions'
import { findTaskProblem } from '@muster/rules/schedules/task-problems'
import { instantOf, isMachineZone } from '@muster/rules/schedules/zone-time'
import type { Db } from '../../platform/database/database.ts'

interface Machine {
  agent_id: string
  hostname: string
  plat: 'windows' | 'linux' | 'darwin'
}

/** Refuses invalid schedules, and missing or unsuitable scripts and checks. */
export async function refuseBadTask(db: Db, machine: Machine, task: TaskFields): Promise<void> {
  const problem = findTaskProblem(task)
  if (problem !== undefined) refuse(problem.field, problem.sentence)
  await refuseBadScripts(db, machine, task)
  await refuseBadCheck(db, machine, task)
}

/** A task that runs once must lie in the future when it is created. */
export function refusePast(task: TaskFields, zone: string, now: Date): void {
  if (task.task_type !== 'runonce' || task.run_time_date === null) return
  const wallMs = Date.parse(`${task.run_time_date}Z`)
  if (instantOf(isMachineZone(zone) ? zone : 'UTC', wallMs) <= now.getTime())
    refuse('run_time_date', 'This time is over. Choose a time in the future.')
}

/** The fields as columns. */
export function toColumns(task: TaskFields) {
  const { name, enabled, task_type, actions, alert_severity, assigned_check, ...more } = task
  const { custom_field, collector_all_output, ...settings } = more
  return {
    name,
    enabled: enabled ? (1 as const) : (0 as const),
    task_type,
    settings: JSON.stringify(settings),
    // Names of scripts are read when tasks are sent.
    actions: JSON.stringify(
      actions.map((action) => (action.type === 'script' ? { ...action, name: '' } : action)),
    ),
    alert_severity,
    assigned_check: task_type === 'checkfailure' ? assigned_check : null,
    custom_field,
    collector_all_output: collector_all_output ? (1 as const) : (0 as const),
  }
}

async function refuseBadScripts(db: Db, { plat }: Machine, { actions }: TaskFields): Promise<void> {
  for (const [index, action] of actions.entries()) {
    if (action.type !== 'script') continue
    const field = `actions.${index}.script`
    const script = await db
      .selectFrom('scripts')
      .select(['name', 'supported_platforms'])
      .where('id', '=', action.script)
      .executeTakeFirst()
    if (script === undefined) refuse(field, 'This script does not exist.')
    // A JSON column, written by the scripts feature from the contract's list.
    const platforms = JSON.parse(script.supported_platforms) as string[]
    if (!scriptFitsPlatform(platforms, plat))
      refuse(field, `${script.name} does not support ${platformName(plat)}. Choose another script.`)
  }
}

async function refuseBadCheck(db: Db, { agent_id, hostname }: Machine, task: TaskFields): Promise<void> {
  if (task.task_type !== 'checkfailure') return
  if (task.assigned_check === null)
    refuse('assigned_check', 'Choose the check that starts the task on failure.')
  const check = await db
    .selectFrom('checks')
    .select('id')
    .where('id', '=', task.assigned_check)
    .where('agent_id', '=', agent_id)
    .executeTakeFirst()
  if (check === undefined) refuse('assigned_check', `${hostname} does not have this check.`)
}

function refuse(field: string, message: string): never {
  throw new AppError('invalid', message, { fields: { [field]: [message] } })
}
