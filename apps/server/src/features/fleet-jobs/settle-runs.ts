import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { isFinal } from '@muster/rules/agents/history-state'
import type { JobAgentState } from '@muster/rules/fleet-jobs/job-state'
import { shownLine } from '@muster/rules/text/escape-sequences'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { jsonRows } from '../../platform/database/json-rows.ts'
import { chunk } from '../../platform/database/sql.ts'
import { type Output, readOutputs } from '../runs/queries.ts'
import { collectResult } from '../tasks/collect-result.ts'
import type { TxContext } from '../tasks/store-task-reports.ts'
import { keepBefore } from './kept-values.ts'
import { readPushBefore } from './push-action.ts'
import { draftOf, FINAL_RUNS, writeLog } from './queries.ts'

export interface Ending {
  jobId: number
  agentId: string
  /** null = an action without a run. */
  historyId: number | null
  /** `waiting`: it has not started, and may be tried again. */
  state: Exclude<JobAgentState, 'running' | 'skipped'>
  reason: string | null
  retcode: number | null
  execution_time: number | null
  finished_at: string
  output_group: string
  line: string
}

const MAX_LINE = 300

/**
 * Stores the results of these runs in their jobs, if they have ended. Returns the jobs whose results changed, and those
 * that any of the runs belongs to.
 */
export async function settleRuns(
  ctx: Context,
  historyIds: readonly number[],
): Promise<{ changed: Set<number>; touched: Set<number> }> {
  const changed = new Set<number>()
  const touched = new Set<number>()
  for (const ids of chunk(historyIds)) {
    const all = await findJobRuns(ctx.db, ids)
    for (const { fleet_job_id } of all) touched.add(fleet_job_id ?? 0)
    const runs = all.filter(({ state }) => isFinal(state))
    if (runs.length === 0) continue
    const outputs = await readOutputs(ctx.db, runs)
    const endings = runs.map((run) => endingOf(run, outputs.get(run.id) ?? { stdout: '', stderr: '' }))
    const collect = await openCollecting(ctx, runs, outputs)
    for (const jobId of await storeEndings(ctx, endings, collect)) changed.add(jobId)
    // Other calls run in between.
    await setImmediate()
  }
  return { changed, touched }
}

/** Ended runs of machines that their job still counts as running, after a restart or a lost event. */
export async function findUnsettled(db: Db, jobId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('fleet_job_agents')
    .innerJoin('agent_history', 'agent_history.id', 'fleet_job_agents.history_id')
    .select('agent_history.id')
    .where('job_id', '=', jobId)
    .where('fleet_job_agents.state', '=', 'running')
    .where('agent_history.state', 'in', FINAL_RUNS)
    .limit(1000)
    .execute()
  return rows.map(({ id }) => id)
}

/** Skips machines that were removed with their run, which therefore never ends. */
export async function skipRemoved(ctx: Context, jobId: number): Promise<void> {
  await ctx.db
    .updateTable('fleet_job_agents')
    .set({
      state: 'skipped',
      skip: 'removed',
      reason: 'The machine was removed.',
      output_group: 'skipped-removed',
      finished_at: ctx.now().toISOString(),
    })
    .where('job_id', '=', jobId)
    .where('state', '=', 'running')
    .where('history_id', 'is not', null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('agent_history')
            .select('agent_history.id')
            .whereRef('agent_history.id', '=', 'fleet_job_agents.history_id'),
        ),
      ),
    )
    .execute()
}

const ENDING_COLUMNS = [
  'state',
  'reason',
  'retcode',
  'execution_time',
  'finished_at',
  'output_group',
  'line',
] as const satisfies (keyof Ending)[]

/** Writes results of machines that are still running in their job. Returns the jobs that changed. */
export async function storeEndings(
  ctx: Context,
  endings: readonly Ending[],
  collect?: Collect,
): Promise<Set<number>> {
  const changed = new Set<number>()
  for (const some of chunk(endings)) {
    const rows = some.map(({ jobId, agentId, historyId, ...values }) => ({
      ...values,
      job_id: jobId,
      agent_id: agentId,
      history_id: historyId,
    }))
    await ctx.transaction(async (tx, emit) => {
      if (ctx.engine === 'postgres') await lockMachines(tx, some)
      const columns = ['job_id', 'agent_id', 'history_id', ...ENDING_COLUMNS] as const
      const given = jsonRows(tx, 'fleet_job_agents', columns, rows)
      const stored = await tx
        .updateTable('fleet_job_agents')
        .from(given.as('given'))
        .set((eb) => ({
          ...Object.fromEntries(ENDING_COLUMNS.map((column) => [column, eb.ref(`given.${column}`)])),
          claimed_by: null,
        }))
        .whereRef('fleet_job_agents.job_id', '=', 'given.job_id')
        .whereRef('fleet_job_agents.agent_id', '=', 'given.agent_id')
        .where('fleet_job_agents.state', '=', 'running')
        .whereRef('fleet_job_agents.history_id', 'is not distinct from', 'given.history_id')
        .returning(['fleet_job_agents.job_id', 'fleet_job_agents.agent_id', 'fleet_job_agents.history_id'])
        .execute()
      // Two tries of a machine may end together, of which one is the current one.
      const keys = new Set(stored.map((row) => `${row.job_id} ${row.agent_id} ${row.history_id}`))
      const ended = some.filter((one) => keys.has(`${one.jobId} ${one.agentId} ${one.historyId}`))
      if (collect !== undefined) await collectEach({ ctx, tx, emit }, collect, ended)
      await logFailures(ctx, tx, ended)
      for (const { job_id } of stored) changed.add(job_id)
    })
  }
  return changed
}

/** In the same order in every process, so that two of them never wait for each other. */
async function lockMachines(tx: Db, endings: readonly Ending[]): Promise<void> {
  const unique = <Key>(keys: readonly Key[]) => [...new Set(keys)]
  await tx
    .selectFrom('fleet_job_agents')
    .select('agent_id')
    .where('job_id', 'in', unique(endings.map(({ jobId }) => jobId)))
    .where('agent_id', 'in', unique(endings.map(({ agentId }) => agentId)))
    .where('state', '=', 'running')
    .orderBy('job_id')
    .orderBy('agent_id')
    .forUpdate()
    .execute()
}

async function collectEach(
  txContext: TxContext,
  collect: Collect,
  endings: readonly Ending[],
): Promise<void> {
  for (const ending of endings) {
    const problem = await collect(txContext, ending)
    if (problem === '') continue
    await txContext.tx
      .updateTable('fleet_job_agents')
      .set({ reason: problem, line: problem.slice(0, MAX_LINE) })
      .where('job_id', '=', ending.jobId)
      .where('agent_id', '=', ending.agentId)
      .execute()
  }
}

/** Stores what the output of a run says: in a custom field, or for undo. Returns why it was not stored, as a sentence; empty = it was. */
type Collect = (txContext: TxContext, ending: Ending) => Promise<string>

/** For jobs that keep the output of their script in a custom field, or push files; undefined = there is none among these. */
async function openCollecting(
  ctx: Context,
  runs: readonly JobRun[],
  outputs: ReadonlyMap<number, Output>,
): Promise<Collect | undefined> {
  const rows = await ctx.db
    .selectFrom('fleet_jobs')
    .select(['id', 'name', 'draft'])
    .where('id', 'in', [...new Set(runs.flatMap(({ fleet_job_id }) => fleet_job_id ?? []))])
    .where('action', 'in', ['script', 'push_file'])
    .execute()
  const drafts = rows.map((row) => ({ ...row, action: draftOf(ctx, row).action }))
  const pushes = new Map(
    drafts.flatMap(({ id, action }) => (action.type === 'push_file' ? [[id, action.path] as const] : [])),
  )
  const jobs = new Map(
    drafts.flatMap((row) => {
      const { action } = row
      return action.type === 'script' && action.save_to_field !== undefined
        ? [
            [
              row.id,
              { name: row.name, field: action.save_to_field, isAll: action.save_all_output === true },
            ] as const,
          ]
        : []
    }),
  )
  if (jobs.size === 0 && pushes.size === 0) return undefined
  const cut = new Set(runs.filter((run) => run.output_cut_bytes > 0).map(({ id }) => id))
  return async (txContext, { jobId, agentId, historyId, state }) => {
    const [job, path] = [jobs.get(jobId), pushes.get(jobId)]
    if (historyId === null || state !== 'succeeded') return ''
    const { stdout, stderr } = outputs.get(historyId) ?? { stdout: '', stderr: '' }
    const before = path === undefined ? undefined : readPushBefore(stdout, { path, job: jobId })
    if (before !== undefined)
      await keepBefore({ ...ctx, db: txContext.tx }, { jobId, agentId, isSet: false }, before)
    if (job === undefined) return ''
    if (stderr.trim() !== '') return 'The script printed an error, so its result was not stored.'
    if (cut.has(historyId)) return 'The result was not stored. The output is too long.'
    const { name, field, isAll } = job
    return collectResult(
      txContext,
      { noun: 'job', agent_id: agentId, name, custom_field: field, collector_all_output: isAll ? 1 : 0 },
      { parts: [stdout], room: Infinity },
    )
  }
}

type JobRun = Awaited<ReturnType<typeof findJobRuns>>[number]

function findJobRuns(db: Db, ids: readonly number[]) {
  return db
    .selectFrom('agent_history')
    .select(['id', 'agent_id', 'fleet_job_id', 'state', 'reason', 'retcode', 'execution_time'])
    .select(['finished_at', 'sent_at', 'output_bytes', 'output_cut_bytes'])
    .where('id', 'in', ids)
    .where('fleet_job_id', 'is not', null)
    .execute()
}

function endingOf(run: JobRun, output: Output): Ending {
  const { state, reason } = outcomeOf(run)
  return {
    // Read with the condition that it is set.
    jobId: run.fleet_job_id ?? 0,
    agentId: run.agent_id,
    historyId: run.id,
    state,
    reason,
    retcode: run.retcode,
    execution_time: run.execution_time,
    finished_at: run.finished_at ?? '',
    ...groupOf(state, run.retcode, output, reason),
  }
}

function outcomeOf(run: JobRun): { state: Ending['state']; reason: string | null } {
  // Never sent, so it can be tried again without running twice.
  if (run.state === 'expired' && run.sent_at === null)
    return { state: 'waiting', reason: 'The machine lost its connection before the run was sent.' }
  if (run.state === 'done' && run.retcode === 0) return { state: 'succeeded', reason: null }
  if (run.state === 'done') return { state: 'failed', reason: null }
  return { state: 'failed', reason: run.reason ?? 'The run failed.' }
}

/** The group of equal results, and the line of the output that says most. */
export function groupOf(
  state: Ending['state'],
  retcode: number | null,
  { stdout, stderr }: Output,
  reason: string | null,
): { output_group: string; line: string } {
  if (state === 'waiting') return { output_group: '', line: '' }
  const [out, err] = [stdout.trimEnd(), stderr.trimEnd()]
  const hash = createHash('sha256')
    .update(JSON.stringify([retcode, out, err, reason]))
    .digest('hex')
  const text = state === 'failed' && err !== '' ? err : out === '' ? err : out
  const last = shownLine(text.slice(text.lastIndexOf('\n') + 1))
  return { output_group: `${state}-${hash.slice(0, 12)}`, line: (reason ?? last).slice(0, MAX_LINE) }
}

const NAMED = 3

/** One line for each kind of failure, so that a bad script does not write thousands. */
async function logFailures(ctx: Context, tx: Db, stored: readonly Ending[]): Promise<void> {
  const failed = stored.filter(({ state }) => state === 'failed')
  if (failed.length === 0) return
  const names = new Map(
    (
      await tx
        .selectFrom('agents')
        .select(['agent_id', 'hostname'])
        .where(
          'agent_id',
          'in',
          failed.map(({ agentId }) => agentId),
        )
        .execute()
    ).map(({ agent_id, hostname }) => [agent_id, hostname]),
  )
  const kinds = Map.groupBy(failed, ({ jobId, retcode, reason }) => JSON.stringify([jobId, retcode, reason]))
  for (const group of kinds.values()) {
    // A group has at least one member.
    const { jobId, reason, retcode } = group[0]!
    const named = group.slice(0, NAMED).map(({ agentId }) => names.get(agentId) ?? agentId)
    const more = group.length - named.length
    const who = more > 0 ? `${named.join(', ')} and ${more} more` : named.join(' and ')
    await writeLog(tx, {
      job_id: jobId,
      at: ctx.now(),
      username: '',
      kind: 'failure',
      text: `${who} failed: ${reason ?? `exit ${retcode}`}`,
    })
  }
}
