import type { PolicyTask } from '@muster/contract/policies/policy-content'
import { checkKey } from '@muster/rules/checks/check-key'
import type { Selectable } from 'kysely'
import type { Db } from '../../../platform/database/database.ts'
import { chunk } from '../../../platform/database/sql.ts'
import type { TasksTable } from '../../../platform/database/tables/tasks.ts'
import { readSettings } from '../../checks/view.ts'
import { toColumns } from '../../tasks/task-columns.ts'
import type { Resolved } from './kind.ts'

/** A task of a policy. `startedBy`: the key of the check that starts it on failure. */
export interface TaskRef {
  policyTask: PolicyTask
  startedBy: string | null
}
export type ResolvedTasks = Resolved<TaskRef | undefined>

const COLUMNS = [
  'name',
  'enabled',
  'task_type',
  'settings',
  'actions',
  'alert_severity',
  'assigned_check',
  'custom_field',
  'collector_all_output',
] as const
export type HeldTask = Pick<Selectable<TasksTable>, (typeof COLUMNS)[number] | 'id' | 'agent_id'> & {
  policy_id: number
  policy_task: number
}

/** The rows of a machine from policies, its overridden own tasks, and the checks that start tasks. */
export interface HeldTasks {
  ofPolicies: HeldTask[]
  /** Own task -> the policy that overrides it. */
  resting: Map<number, number>
  checks: ReadonlyMap<string, number>
  /** The existing custom fields among those that tasks name. */
  fields: ReadonlySet<number>
}
const NOTHING: HeldTasks = { ofPolicies: [], resting: new Map(), checks: new Map(), fields: new Set() }

export interface WantedTask extends TaskRef {
  policyId: number
  /** The row of the machine's check. */
  assignedCheck: number | null
  customField: number | null
}

export async function findHeldTasks(
  db: Db,
  machines: readonly ResolvedTasks[],
): Promise<(agentId: string) => HeldTasks> {
  const held = new Map<string, HeldTasks>()
  const checks = await findStarters(db, machines)
  const fields = await findNamedFields(db, machines)
  const of = (agentId: string) => {
    const known: HeldTasks = held.get(agentId) ?? { ...NOTHING, ofPolicies: [], resting: new Map() }
    held.set(agentId, known)
    return known
  }
  for (const slice of chunk(machines.map(({ machine }) => machine.agent_id))) {
    const rows = await db
      .selectFrom('tasks')
      .select(COLUMNS)
      .select(['id', 'agent_id', 'policy_id', 'policy_task', 'overridden_by'])
      .where('agent_id', 'in', slice)
      .where((eb) => eb.or([eb('policy_id', 'is not', null), eb('overridden_by', 'is not', null)]))
      .execute()
    for (const { policy_id, policy_task, overridden_by, ...row } of rows) {
      if (policy_id !== null && policy_task !== null) {
        of(row.agent_id).ofPolicies.push({ ...row, policy_id, policy_task })
      } else if (overridden_by !== null) of(row.agent_id).resting.set(row.id, overridden_by)
    }
  }
  return (agentId) => ({
    ...(held.get(agentId) ?? NOTHING),
    checks: checks.get(agentId) ?? NOTHING.checks,
    fields,
  })
}

/** The policy tasks that a machine should have, by policy and number, and the own tasks that should be overridden. */
export function wantedOf(
  { effective }: ResolvedTasks,
  { checks, fields }: HeldTasks,
): { tasks: Map<string, WantedTask>; resting: Map<number, number> } {
  const tasks = new Map<string, WantedTask>()
  const resting = new Map<number, number>()
  for (const { value, source, overrode } of effective) {
    if (source.own || value.ref === undefined) continue
    const { policy: policyId } = source
    const { startedBy } = value.ref
    const assignedCheck = startedBy === null ? null : (checks.get(startedBy) ?? null)
    const { custom_field: named } = value.ref.policyTask.task
    // A deleted field stores nothing.
    const customField = named !== null && fields.has(named) ? named : null
    const wanted = { ...value.ref, policyId, assignedCheck, customField }
    tasks.set(`${policyId} ${value.ref.policyTask.id}`, wanted)
    for (const loser of overrode) {
      if (loser.source.own && loser.value.row_id !== null) resting.set(loser.value.row_id, policyId)
    }
  }
  return { tasks, resting }
}

export function isInLine(resolved: ResolvedTasks, held: HeldTasks): boolean {
  const { tasks, resting } = wantedOf(resolved, held)
  if (tasks.size !== held.ofPolicies.length || resting.size !== held.resting.size) return false
  for (const [id, policyId] of resting) if (held.resting.get(id) !== policyId) return false
  return held.ofPolicies.every((row) => {
    const wanted = tasks.get(`${row.policy_id} ${row.policy_task}`)
    return wanted !== undefined && isSame(row, wanted)
  })
}

export function isSame(row: HeldTask, wanted: WantedTask): boolean {
  const columns = columnsOf(wanted)
  return COLUMNS.every((name) => row[name] === columns[name])
}

export function columnsOf({ policyTask: { task }, assignedCheck, customField }: WantedTask) {
  return toColumns({ ...task, assigned_check: assignedCheck, custom_field: customField })
}

async function findNamedFields(db: Db, machines: readonly ResolvedTasks[]): Promise<Set<number>> {
  const named = machines.flatMap(({ effective }) =>
    effective.flatMap(({ value }) => value.ref?.policyTask.task.custom_field ?? []),
  )
  if (named.length === 0) return new Set()
  const rows = await db
    .selectFrom('custom_fields')
    .select('id')
    .where('id', 'in', [...new Set(named)])
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** The checks of machines by key, for tasks that a check starts. */
async function findStarters(
  db: Db,
  machines: readonly ResolvedTasks[],
): Promise<Map<string, Map<string, number>>> {
  const agentIds = machines
    .filter(({ effective }) => effective.some(({ value }) => typeof value.ref?.startedBy === 'string'))
    .map(({ machine }) => machine.agent_id)
  const found = new Map<string, Map<string, number>>()
  for (const slice of chunk(agentIds)) {
    const rows = await db
      .selectFrom('checks')
      .select(['id', 'agent_id', 'check_type', 'settings'])
      .where('agent_id', 'in', slice)
      .where('overridden_by', 'is', null)
      .orderBy('id', 'desc')
      .execute()
    for (const { id, agent_id, ...row } of rows) {
      const ofMachine = found.get(agent_id) ?? new Map<string, number>()
      ofMachine.set(checkKey(readSettings(row)), id)
      found.set(agent_id, ofMachine)
    }
  }
  return found
}
