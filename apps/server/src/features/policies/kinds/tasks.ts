import type { PolicyTask } from '@muster/contract/policies/policy-content'
import { checkKey } from '@muster/rules/checks/check-key'
import { mergePolicies, type PolicyItem } from '@muster/rules/policies/policy-merge'
import { taskFitsPlatform, taskKey } from '@muster/rules/schedules/task-problems'
import { describeTask } from '@muster/rules/schedules/task-text'
import type { Db } from '../../../platform/database/database.ts'
import { chunk } from '../../../platform/database/sql.ts'
import { readFields, scriptIdsOf } from '../../tasks/view.ts'
import type { PolicySet } from '../policy-set.ts'
import { applyTasks } from './apply-tasks.ts'
import { findHeldTasks, isInLine, type ResolvedTasks, type TaskRef } from './held-tasks.ts'
import {
  addOwn,
  appliedOf,
  findReachedBy,
  type ChainedMachine,
  type ContentKind,
  type Thing,
} from './kind.ts'

type Item = PolicyItem<Thing<TaskRef | undefined>>

/** Tasks of policies. Each machine has its own rows for them, with its own runs, results and alerts. */
export const tasksKind: ContentKind<TaskRef | undefined> = {
  name: 'tasks',
  resolve: async (db, set, machines) => {
    const own = await findOwn(db, set, machines)
    const known = new Map<number, { item: Item; policyTask: PolicyTask }[]>()
    return machines.map((chained) => {
      const { machine } = chained
      const unfit: ResolvedTasks['unfit'] = []
      const applied = appliedOf(set, chained, (policy) => {
        const all = known.get(policy) ?? itemsOf(set, policy)
        known.set(policy, all)
        const fits = ({ policyTask }: (typeof all)[number]) => fitsMachine(set, policyTask, machine.plat)
        unfit.push(
          ...all
            .filter((one) => !fits(one))
            .map(({ item }) => ({ what: item.value.what, policy, why: 'other_system' as const })),
        )
        return all.filter(fits).map(({ item }) => item)
      })
      return { ...chained, effective: mergePolicies(own.get(machine.agent_id) ?? [], applied), unfit }
    })
  },
  findDrift: async (db, resolved) => {
    const heldOf = await findHeldTasks(db, resolved)
    return resolved.filter((one) => !isInLine(one, heldOf(one.machine.agent_id)))
  },
  findRowIds: async (db, resolved) => {
    const held = (await findHeldTasks(db, [resolved]))(resolved.machine.agent_id).ofPolicies
    const ids = new Map(held.map((row) => [`${row.policy_id} ${row.policy_task}`, row.id]))
    return new Map(
      resolved.effective.flatMap(({ key, value, source }) => {
        const id = source.own ? undefined : ids.get(`${source.policy} ${value.ref?.policyTask.id}`)
        return id === undefined ? [] : [[key, id] as const]
      }),
    )
  },
  apply: applyTasks,
}

/** The name of a task and its schedule, for plans and pages. */
function describePolicyTask({ task }: Pick<PolicyTask, 'task'>): string {
  return `${task.name}: ${describeTask(task)}`
}

function itemsOf(set: PolicySet, policyId: number): { item: Item; policyTask: PolicyTask }[] {
  const content = set.policies.get(policyId)?.document.content
  return (content?.tasks ?? []).map((policyTask) => {
    const { task } = policyTask
    const starter =
      task.task_type === 'checkfailure'
        ? content?.checks.find(({ id }) => id === task.assigned_check)?.settings
        : undefined
    const startedBy = starter === undefined ? null : checkKey(starter)
    return {
      policyTask,
      item: {
        key: taskKey(task),
        value: {
          what: describePolicyTask(policyTask),
          digest: JSON.stringify([task, startedBy]),
          row_id: null,
          ref: { policyTask, startedBy },
        },
      },
    }
  })
}

function fitsMachine(set: PolicySet, { task, task_supported_platforms }: PolicyTask, plat: string): boolean {
  const scripts = scriptIdsOf(task).map((id) => set.scripts.get(id)?.supported_platforms)
  return taskFitsPlatform(task_supported_platforms, plat, scripts)
}

/** Own tasks of machines that have policy tasks or overridden own tasks. */
async function findOwn(
  db: Db,
  set: PolicySet,
  machines: readonly ChainedMachine[],
): Promise<Map<string, Item[]>> {
  const found = new Map<string, Item[]>()
  const reached = findReachedBy(set, machines, ({ tasks }) => tasks.length > 0)
  for (const slice of chunk(reached)) {
    const rows = await db
      .selectFrom('tasks')
      .select(['id', 'agent_id', 'name', 'enabled', 'task_type', 'settings', 'actions', 'alert_severity'])
      .select(['assigned_check', 'custom_field', 'collector_all_output'])
      .where('agent_id', 'in', slice)
      .where('policy_id', 'is', null)
      .orderBy('id')
      .execute()
    for (const row of rows) {
      const task = readFields(row)
      const value = { what: describePolicyTask({ task }), digest: '', row_id: row.id, ref: undefined }
      addOwn(found, row.agent_id, { key: taskKey(task), value })
    }
  }
  return found
}
