import type { Report } from '@muster/contract/agent/link'
import type { Event } from '@muster/contract/events'
import { type ActionResult, roomForOutput } from '@muster/contract/agent/tasks'
import { keepEnds } from '@muster/rules/text/output-ends'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { takeTaskFindings, type TaskFinding } from '../alerts/task-alerts.ts'
import { lockRow } from '../../platform/database/change-row.ts'
import { chunk } from '../../platform/database/sql.ts'
import { collectResult, joinOutput } from './collect-result.ts'
import {
  findKnownTasks,
  findRunState,
  hasRunning,
  markRunning,
  possibleTasks,
  pruneRuns,
  upsertRun,
  upsertTaskResult,
} from './run-queries.ts'

export type TaskReport = Extract<
  Report,
  { kind: 'tasks-known' | 'task-started' | 'task-result' | 'task-missed' }
>
export interface ReportedTask {
  agentId: string
  report: TaskReport
}
type ReportOf<Kind extends TaskReport['kind']> = Extract<TaskReport, { kind: Kind }>
type KnownTask = Awaited<ReturnType<typeof findKnownTasks>>[number]
export interface TxContext {
  ctx: Pick<Context, 'engine' | 'hooks' | 'jobs' | 'now'>
  tx: Db
  emit: (event: Event) => void
}

/** Times of machines are corrected by the server's clock, but not to the second. */
const AHEAD_MS = 60_000
const MAX_OUTPUT_LENGTH = 20_000

/**
 * Stores reports of tasks in the order of arrival. Reports for tasks of other machines and unknown tasks are dropped,
 * and repeated ones change nothing.
 */
export async function storeTaskReports(
  txContext: TxContext,
  reports: readonly ReportedTask[],
): Promise<void> {
  const { tx, emit } = txContext
  const ids = reports.flatMap(({ report }) => ('task_id' in report ? [report.task_id] : []))
  const known = new Map((await findKnownTasks(tx, [...new Set(ids)])).map((task) => [task.id, task]))
  const changed = new Map<number, string>()
  const findings: TaskFinding[] = []
  /** Machines with a task that started or stopped failing. */
  const recounted = new Set<string>()
  for (const { agentId, report } of reports) {
    if (report.kind === 'tasks-known') {
      for (const id of await storeKnown(tx, agentId, report.version)) changed.set(id, agentId)
      continue
    }
    const task = known.get(report.task_id)
    if (task?.agent_id !== agentId) continue
    changed.set(task.id, agentId)
    const { status } = task
    findings.push(...(await storeReport(txContext, task, report)))
    if (task.status !== status) recounted.add(agentId)
  }
  await takeTaskFindings(txContext, findings)
  if (changed.size > 0)
    emit({ type: 'task.changed', ids: [...changed.keys()], agent_ids: [...changed.values()] })
  const machines = [...recounted]
  if (machines.length > 0) emit({ type: 'agent.changed', ids: machines, agent_ids: machines })
}

async function storeReport(
  txContext: TxContext,
  task: KnownTask,
  report: Exclude<TaskReport, { kind: 'tasks-known' }>,
): Promise<TaskFinding[]> {
  switch (report.kind) {
    case 'task-started':
      await storeStart(txContext, report)
      return []
    case 'task-missed':
      await storeMissed(txContext, report)
      return []
    case 'task-result':
      return storeResult(txContext, task, report)
  }
}

/** Returns the tasks that the machine now knows. */
async function storeKnown(tx: Db, agentId: string, version: number): Promise<number[]> {
  await tx
    .updateTable('agents')
    .set((eb) => ({
      tasks_known: eb
        .case()
        .when('tasks_version', '<', version)
        .then(eb.ref('tasks_version'))
        .else(version)
        .end(),
    }))
    .where('agent_id', '=', agentId)
    .execute()
  const rows = await tx.selectFrom('tasks').select('id').where('agent_id', '=', agentId).execute()
  return rows.map(({ id }) => id)
}

async function storeStart({ ctx, tx }: TxContext, report: ReportOf<'task-started'>): Promise<void> {
  if ((await findRunState(tx, report.task_id, report.run_id)) !== undefined) return
  await upsertRun(tx, {
    ...headOf(report, ctx.now()),
    state: 'running',
    status: null,
    ended_at: null,
    retcode: null,
    execution_time: null,
    more_info: '',
    actions: '[]',
  })
  await pruneRuns(tx, report.task_id)
  await markRunning(tx, report.task_id)
}

async function storeMissed({ ctx, tx }: TxContext, report: ReportOf<'task-missed'>): Promise<void> {
  const { task_id, run_id, count, from, to, why } = report
  await upsertRun(tx, {
    task_id,
    run_id,
    state: 'missed',
    trigger: 'schedule',
    status: null,
    planned_at: null,
    started_at: within(from, ctx.now()),
    ended_at: within(to, ctx.now()),
    retcode: null,
    execution_time: null,
    more_info:
      why === 'busy'
        ? 'The previous run was still running.'
        : 'The machine or its agent was off at that time.',
    missed: Math.min(count, 1_000_000),
    actions: '[]',
  })
  await pruneRuns(tx, task_id)
}

async function storeResult(
  txContext: TxContext,
  task: KnownTask,
  report: ReportOf<'task-result'>,
): Promise<TaskFinding[]> {
  const { ctx, tx } = txContext
  const { task_id, run_id, actions } = report
  const before = await findRunState(tx, task_id, run_id)
  if (before === 'ended' || before === 'missed') return []
  const now = ctx.now()
  const at = within(report.ended_at, now)
  // Parallel runs and repeated reports may arrive in another order.
  const isNewest = task.last_run === null || task.last_run <= at
  const { custom_field: field } = task
  const verdict = judgeTaskRun(report, { collects: field !== null })
  if (isNewest && verdict.status === 'passing' && field !== null)
    verdict.more_info = await collectResult(
      txContext,
      { ...task, noun: 'task', custom_field: field },
      { parts: actions.map(({ stdout }) => stdout), room: roomForOutput(actions.length) },
    )
  const execution_time = actions.reduce((sum, action) => sum + action.execution_time, 0)
  await upsertRun(tx, {
    ...headOf(report, now),
    state: 'ended',
    ...verdict,
    ended_at: at,
    execution_time,
    actions: JSON.stringify(actions),
  })
  await pruneRuns(tx, task_id)
  const run_status = (await hasRunning(tx, task_id)) ? 'running' : 'completed'
  if (!isNewest) {
    await tx.updateTable('task_results').set({ run_status }).where('task_id', '=', task_id).execute()
    return []
  }
  task.last_run = at
  task.status = verdict.status
  await upsertTaskResult(tx, {
    task_id,
    ...verdict,
    run_status,
    stdout: keepEnds(joinOutput(actions.map(({ stdout }) => stdout)), MAX_OUTPUT_LENGTH),
    stderr: keepEnds(joinOutput(actions.map(({ stderr }) => stderr)), MAX_OUTPUT_LENGTH),
    execution_time,
    last_run: at,
  })
  const severity = verdict.status === 'failing' ? task.alert_severity : null
  const text = severity === null ? 'The task ran without an error.' : verdict.more_info
  return [{ taskId: task_id, at: new Date(at), severity, text }]
}

function headOf(
  { task_id, run_id, trigger, planned_at, started_at }: ReportOf<'task-started' | 'task-result'>,
  now: Date,
) {
  return { task_id, run_id, trigger, planned_at, started_at: within(started_at, now), missed: 0 }
}

/** In the stored form of instants, and not in the future. */
function within(instant: string, now: Date): string {
  return new Date(Math.min(Date.parse(instant), now.getTime() + AHEAD_MS)).toISOString()
}

interface RunVerdict {
  status: 'passing' | 'failing'
  /** The code of the first failed action, else 0. Null if no action ended. */
  retcode: number | null
  /** The problem as a sentence, else empty. */
  more_info: string
}

const MAX_LENGTH = 1000

/**
 * A run succeeds if all of its actions exited with 0. One that `collects` its output must also print nothing to stderr:
 * many shells exit with 0 after an error.
 */
function judgeTaskRun(
  run: { reason: string | null; actions: readonly ActionResult[] },
  { collects }: { collects: boolean },
): RunVerdict {
  const failed = run.actions.filter(({ outcome }) => outcome !== 'skipped').find(isFailed)
  if (run.reason === null && failed === undefined) {
    const wrote = collects ? run.actions.find(({ stderr }) => stderr.trim() !== '') : undefined
    if (wrote === undefined) return { status: 'passing', retcode: 0, more_info: '' }
    const more_info = `"${wrote.name}" printed an error, so its result was not stored.`
    return { status: 'failing', retcode: 0, more_info }
  }
  const more_info = run.reason ?? (failed === undefined ? '' : describeFailure(failed))
  return { status: 'failing', retcode: failed?.retcode ?? null, more_info: more_info.slice(0, MAX_LENGTH) }
}

function isFailed({ outcome, retcode }: ActionResult): boolean {
  return outcome !== 'exited' || retcode !== 0
}

function describeFailure({ name, outcome, reason, retcode }: ActionResult): string {
  if (outcome === 'exited') return `"${name}" exited with code ${retcode ?? 'unknown'}.`
  return `"${name}": ${reason ?? 'It did not come to its end.'}`
}

/**
 * Locks the clients and sites whose custom fields these results change. Call it before anything else in the
 * transaction: machines of one client report to several processes in any order, and editing a client also locks first
 * the client, then its machines.
 */
export async function lockFieldOwners(tx: Db, reports: readonly ReportedTask[]): Promise<void> {
  const ids = reports.flatMap(({ report }) => (report.kind === 'task-result' ? [report.task_id] : []))
  const clients = new Set<number>()
  const sites = new Set<number>()
  for (const slice of chunk(possibleTasks([...new Set(ids)]))) {
    const owners = await tx
      .selectFrom('tasks')
      .innerJoin('custom_fields', 'custom_fields.id', 'tasks.custom_field')
      .innerJoin('agents', 'agents.agent_id', 'tasks.agent_id')
      .innerJoin('sites', 'sites.id', 'agents.site_id')
      .select(['model', 'site_id', 'client_id'])
      .where('tasks.id', 'in', slice)
      .where('model', '<>', 'agent')
      .execute()
    for (const { model, site_id, client_id } of owners) {
      if (model === 'client') clients.add(client_id)
      else sites.add(site_id)
    }
  }
  for (const id of [...clients].toSorted(byNumber)) await lockRow(tx, 'clients', 'id', id)
  for (const id of [...sites].toSorted(byNumber)) await lockRow(tx, 'sites', 'id', id)
}

function byNumber(one: number, other: number): number {
  return one - other
}
