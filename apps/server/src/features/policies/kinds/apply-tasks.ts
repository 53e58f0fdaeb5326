import type { Db } from '../../../platform/database/database.ts'
import { chunk } from '../../../platform/database/sql.ts'
import type { TxContext } from '../../alerts/store-alerts.ts'
import { takeTaskFindings } from '../../alerts/task-alerts.ts'
import { timesOf } from '../../tasks/write-task.ts'
import { lockTasks, updateTask, writeTaskScripts } from '../../tasks/queries.ts'
import { markTasksStale } from '../../tasks/mark-tasks-stale.ts'
import { readFields, scriptIdsOf } from '../../tasks/view.ts'
import {
  columnsOf,
  findHeldTasks,
  type HeldTask,
  isSame,
  type ResolvedTasks,
  type WantedTask,
  wantedOf,
} from './held-tasks.ts'

interface Change {
  added: { agentId: string; wanted: WantedTask }[]
  changed: { row: HeldTask; wanted: WantedTask }[]
  removed: HeldTask[]
  /** Own tasks that become overridden, and by which policy. Null = no longer overridden. */
  resting: { id: number; agentId: string; by: number | null }[]
}
type Touched = { id: number; agentId: string }

/** Empty, because the history of the policy names the user. */
const BY_POLICY = ''

/** Creates, changes and deletes the rows of policy tasks on machines. */
export async function applyTasks(txContext: TxContext, machines: readonly ResolvedTasks[]): Promise<void> {
  const { tx, emit } = txContext
  const change = await compare(tx, machines)
  await removeTasks(txContext, change.removed)
  await restTasks(txContext, change.resting)
  const scripts = await findScripts(tx, change)
  const added = await addTasks(txContext, change.added, scripts)
  const changed = await changeTasks(txContext, change.changed, scripts)
  const kept = [...added, ...changed, ...change.resting]
  await markTasksStale(tx, emit, {
    taskIds: kept.map(({ id }) => id),
    agentIds: change.removed.map(({ agent_id }) => agent_id),
  })
  const touched = [...kept, ...change.removed.map(({ id, agent_id }) => ({ id, agentId: agent_id }))]
  for (const slice of chunk(touched)) {
    emit({
      type: 'task.changed',
      ids: slice.map(({ id }) => id),
      agent_ids: slice.map(({ agentId }) => agentId),
    })
  }
  const agentIds = [...new Set(touched.map(({ agentId }) => agentId))]
  for (const ids of chunk(agentIds)) emit({ type: 'agent.changed', ids, agent_ids: ids })
}

async function compare(tx: Db, machines: readonly ResolvedTasks[]): Promise<Change> {
  const change: Change = { added: [], changed: [], removed: [], resting: [] }
  const heldOf = await findHeldTasks(tx, machines)
  for (const resolved of machines) {
    const agentId = resolved.machine.agent_id
    const held = heldOf(agentId)
    const { tasks, resting } = wantedOf(resolved, held)
    const kept = new Set<string>()
    for (const row of held.ofPolicies) {
      const key = `${row.policy_id} ${row.policy_task}`
      const wanted = tasks.get(key)
      if (wanted === undefined) {
        change.removed.push(row)
        continue
      }
      kept.add(key)
      if (!isSame(row, wanted)) change.changed.push({ row, wanted })
    }
    for (const [key, wanted] of tasks) if (!kept.has(key)) change.added.push({ agentId, wanted })
    for (const [id, by] of resting) if (held.resting.get(id) !== by) change.resting.push({ id, agentId, by })
    for (const id of held.resting.keys()) {
      if (!resting.has(id)) change.resting.push({ id, agentId, by: null })
    }
  }
  // In the order in which results lock them.
  change.removed.sort((a, b) => a.id - b.id)
  change.changed.sort((a, b) => a.row.id - b.row.id)
  change.resting.sort((a, b) => a.id - b.id)
  return change
}

async function removeTasks(txContext: TxContext, rows: readonly HeldTask[]): Promise<void> {
  const { ctx, tx } = txContext
  for (const slice of chunk(rows)) {
    const ids = slice.map(({ id }) => id)
    // Concurrent results are stored before, and their alerts end with the tasks.
    await lockTasks(tx, ctx.engine, ids)
    await endAlerts(txContext, ids, 'The task was removed from the policies of the machine.')
    await tx.deleteFrom('tasks').where('id', 'in', ids).execute()
  }
}

async function restTasks(txContext: TxContext, resting: Change['resting']): Promise<void> {
  const { ctx, tx } = txContext
  for (const [by, group] of Map.groupBy(resting, (one) => one.by)) {
    for (const slice of chunk(group)) {
      const ids = slice.map(({ id }) => id)
      await lockTasks(tx, ctx.engine, ids)
      if (by === null) {
        // Times while it was overridden do not count as missed.
        const counts_from = ctx.now().toISOString()
        await tx.updateTable('tasks').set({ overridden_by: by, counts_from }).where('id', 'in', ids).execute()
        continue
      }
      await endAlerts(txContext, ids, 'Overridden by a task of an enforced policy.')
      await tx.deleteFrom('task_results').where('task_id', 'in', ids).execute()
      await tx.updateTable('tasks').set({ overridden_by: by }).where('id', 'in', ids).execute()
    }
  }
}

async function endAlerts(txContext: TxContext, taskIds: readonly number[], text: string): Promise<void> {
  const at = txContext.ctx.now()
  await takeTaskFindings(
    txContext,
    taskIds.map((taskId) => ({ taskId, at, severity: null, text })),
  )
}

async function addTasks(
  { ctx, tx }: TxContext,
  added: Change['added'],
  scripts: ReadonlySet<number>,
): Promise<Touched[]> {
  const touched: Touched[] = []
  const at = ctx.now().toISOString()
  for (const { agentId, wanted } of added) {
    const { id } = await tx
      .insertInto('tasks')
      .values({
        agent_id: agentId,
        ...columnsOf(wanted),
        policy_id: wanted.policyId,
        policy_task: wanted.policyTask.id ?? 0,
        overridden_by: null,
        counts_from: at,
        revision: '',
        version: 0,
        created_at: at,
        modified: at,
        modified_by: BY_POLICY,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await writeTaskScripts(tx, id, knownScripts(wanted, scripts))
    touched.push({ id, agentId })
  }
  return touched
}

async function changeTasks(
  txContext: TxContext,
  changed: Change['changed'],
  scripts: ReadonlySet<number>,
): Promise<Touched[]> {
  const { ctx, tx } = txContext
  const at = ctx.now().toISOString()
  const off: number[] = []
  for (const { row, wanted } of changed) {
    const before = readFields(row)
    const { task } = wanted.policyTask
    await updateTask(tx, row.id, {
      ...columnsOf(wanted),
      ...(timesOf(task) === timesOf(before) ? {} : { counts_from: at }),
      modified: at,
    })
    await writeTaskScripts(tx, row.id, knownScripts(wanted, scripts))
    if (before.enabled && !task.enabled) off.push(row.id)
  }
  if (off.length > 0) await endAlerts(txContext, off, 'The task was switched off.')
  return changed.map(({ row }) => ({ id: row.id, agentId: row.agent_id }))
}

/** A deleted script cannot be referenced: the task waits, like others with that script. */
const knownScripts = ({ policyTask }: WantedTask, scripts: ReadonlySet<number>) =>
  scriptIdsOf(policyTask.task).filter((id) => scripts.has(id))

async function findScripts(tx: Db, { added, changed }: Change): Promise<Set<number>> {
  const ids = [...added, ...changed].flatMap(({ wanted }) => scriptIdsOf(wanted.policyTask.task))
  if (ids.length === 0) return new Set()
  const rows = await tx
    .selectFrom('scripts')
    .select('id')
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Set(rows.map(({ id }) => id))
}
