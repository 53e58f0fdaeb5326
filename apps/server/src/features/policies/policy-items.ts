import type { CheckStatus } from '@muster/contract/checks/check-samples'
import type { Severity } from '@muster/contract/fields'
import { AppError } from '@muster/contract/errors'
import {
  type CheckOfPolicy,
  type CheckOnMachine,
  policyItemId,
  type PolicyItemRef,
  readPolicyItemId,
  type TaskOfPolicy,
  type TaskOnMachine,
} from '@muster/contract/policies/policy-items'
import { describeTask } from '@muster/rules/schedules/task-text'
import { nameCheck } from '@muster/rules/checks/check-name'
import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { findPolicyCheckRows } from '../checks/queries.ts'
import { viewCheck } from '../checks/view.ts'
import { findPolicyTaskRows } from '../tasks/queries.ts'
import { viewTasks } from '../tasks/view.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import { isOldPass } from '../checks/aged-results.ts'
import { findMachines } from './machines.ts'
import { loadPolicySet, type PolicySet } from './policy-set.ts'
import { requirePolicy } from './require-policy.ts'

const byName = new Intl.Collator('en', { numeric: true })

/** The saved checks of a policy and their states. */
export async function readPolicyChecks(
  { db, now }: Pick<Context, 'db' | 'now'>,
  caller: Caller,
  policyId: number,
): Promise<CheckOfPolicy[]> {
  const set = await loadPolicySet(db)
  const { content } = (await requirePolicy(db, caller, set, policyId)).document
  const counted = await countPolicyChecks(db, caller, policyId, now())
  return content.checks.map(({ id: number = 0, ...check }) => {
    const counts = { passing: 0, old: 0, info: 0, warning: 0, error: 0, pending: 0 }
    for (const row of counted) {
      if (row.number !== number) continue
      counts[row.old ? 'old' : countedAs(row)] += row.count
    }
    return {
      ...check,
      id: policyItemId(policyId, number),
      policy: policyId,
      number,
      readable_desc: nameCheckOf(set, check.settings),
      assignedtasks: content.tasks.flatMap(({ id, task }) =>
        task.assigned_check === number ? [{ id: policyItemId(policyId, id ?? 0), name: task.name }] : [],
      ),
      counts,
    }
  })
}

function countedAs({
  status,
  alert_severity,
}: {
  status: CheckStatus | null
  alert_severity: Severity | null
}) {
  if (status === 'failing') return alert_severity ?? 'error'
  return status === 'passing' ? status : 'pending'
}

/** The saved tasks of a policy and their states. */
export async function readPolicyTasks(db: Db, caller: Caller, policyId: number): Promise<TaskOfPolicy[]> {
  const set = await loadPolicySet(db)
  const { content } = (await requirePolicy(db, caller, set, policyId)).document
  const counted = await countPolicyTasks(db, caller, policyId)
  return content.tasks.map(({ id: number = 0, task, task_supported_platforms }) => {
    const counts = { passing: 0, failing: 0, pending: 0 }
    for (const row of counted) if (row.number === number) counts[row.status ?? 'pending'] += row.count
    const assigned = content.checks.find(({ id }) => id === task.assigned_check)
    return {
      ...task,
      id: policyItemId(policyId, number),
      policy: policyId,
      number,
      task_supported_platforms,
      schedule: describeTask(task),
      check_name: assigned === undefined ? null : nameCheckOf(set, assigned.settings),
      counts,
    }
  })
}

/** Results of a policy check on each visible machine, by name. */
export async function readCheckStatus(db: Db, caller: Caller, id: number): Promise<CheckOnMachine[]> {
  const item = await requireItem(db, caller, { id, kind: 'checks' })
  const checks = (await findPolicyCheckRows(db, caller, item)).map(viewCheck)
  const machineOf = await findMachinesOf(db, checks)
  return sortByHost(
    checks.map(({ id: check_id, agent_id, check_result }) => ({
      ...check_result,
      ...machineOf(agent_id),
      check_id,
    })),
  )
}

/** Results of a policy task on each visible machine, by name. */
export async function readTaskStatus(db: Db, caller: Caller, id: number): Promise<TaskOnMachine[]> {
  const item = await requireItem(db, caller, { id, kind: 'tasks' })
  const tasks = await viewTasks(db, await findPolicyTaskRows(db, caller, item))
  const machineOf = await findMachinesOf(db, tasks)
  return sortByHost(
    tasks.map(({ id: task_id, agent_id, task_result }) => ({
      ...task_result,
      ...machineOf(agent_id),
      task_id,
    })),
  )
}

/** Returns the policy and number of an id. Throws `not_found` if the policy lacks the item or is not visible. */
export async function requireItem(
  db: Db,
  caller: Caller,
  { id, kind }: { id: number; kind: 'checks' | 'tasks' },
): Promise<PolicyItemRef> {
  const ref = readPolicyItemId(id)
  const { content } = (await requirePolicy(db, caller, await loadPolicySet(db), ref.policy)).document
  const items: readonly { id?: number | undefined }[] = content[kind]
  if (items.some((item) => item.id === ref.number)) return ref
  throw new AppError('not_found', `The policy no longer has this ${kind === 'checks' ? 'check' : 'task'}.`)
}

function nameCheckOf(set: PolicySet, settings: CheckOfPolicy['settings']): string {
  const script = settings.check_type === 'script' ? set.scripts.get(settings.script) : undefined
  return nameCheck({ settings, script_name: script?.name ?? null })
}

async function findMachinesOf(db: Db, items: readonly { agent_id: string }[]) {
  const agentIds = items.map(({ agent_id }) => agent_id)
  const machines = await findMachines(db, { agentIds, withText: false })
  const known = new Map(machines.map((machine) => [machine.agent_id, machine]))
  return (agent_id: string) => {
    const { hostname = '', client_name = '', site_name = '' } = known.get(agent_id) ?? {}
    return { agent_id, hostname, client_name, site_name }
  }
}

function sortByHost<Row extends { hostname: string }>(rows: Row[]): Row[] {
  return rows.toSorted((a, b) => byName.compare(a.hostname, b.hostname))
}

/** States of the policy's checks on visible machines, counted by check. */
async function countPolicyChecks(db: Db, caller: Caller, policyId: number, now: Date) {
  const rows = await db
    .selectFrom('checks')
    .innerJoin('agents', 'agents.agent_id', 'checks.agent_id')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .leftJoin('check_results', 'check_results.check_id', 'checks.id')
    .select(['policy_check as number', 'status', 'alert_severity', isOldPass(now).as('old')])
    .select(sql<number>`count(*)`.as('count'))
    .where('checks.policy_id', '=', policyId)
    .where(visibleTo(caller))
    .groupBy(['policy_check', 'status', 'alert_severity', 'old'])
    .execute()
  // SQLite returns 1.
  return rows.map((row) => ({ ...row, old: Number(row.old) === 1, count: Number(row.count) }))
}

/** States of the policy's tasks on visible machines, counted by task. */
async function countPolicyTasks(db: Db, caller: Caller, policyId: number) {
  const rows = await db
    .selectFrom('tasks')
    .innerJoin('agents', 'agents.agent_id', 'tasks.agent_id')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .leftJoin('task_results', 'task_results.task_id', 'tasks.id')
    .select(['policy_task as number', 'status'])
    .select(sql<number>`count(*)`.as('count'))
    .where('tasks.policy_id', '=', policyId)
    .where(visibleTo(caller))
    .groupBy(['policy_task', 'status'])
    .execute()
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}
