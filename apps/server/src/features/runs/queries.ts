import { type Insertable, type Selectable, sql, type SqlBool, type Updateable } from 'kysely'
import type { HistoryType } from '@muster/rules/agents/history-state'
import type { AgentHistory, AgentHistoryResult } from '@muster/contract/api/runs'
import type { Db } from '../../platform/database/database.ts'
import type { AgentHistoryTable, HistoryState } from '../../platform/database/tables/history.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Scope } from '../../platform/http/caller.ts'

export type HistoryRow = Selectable<AgentHistoryTable>
type HistoryListRow = Omit<HistoryRow, 'command_input' | 'nonce' | 'fleet_job_try'>

const LISTED = [
  'agent_history.id',
  'agent_history.agent_id',
  'agent_history.time',
  'agent_history.type',
  'agent_history.state',
  'agent_history.reason',
  'agent_history.command',
  'agent_history.script_id',
  'agent_history.script_name',
  'agent_history.shell',
  'agent_history.args',
  'agent_history.username',
  'agent_history.fleet_job_id',
  'agent_history.run_as_user',
  'agent_history.timeout_seconds',
  'agent_history.expires_at',
  'agent_history.command_name',
  'agent_history.cancel_requested',
  'agent_history.save_as_note',
  'agent_history.sent_at',
  'agent_history.started_at',
  'agent_history.finished_at',
  'agent_history.retcode',
  'agent_history.execution_time',
  'agent_history.last_chunk',
  'agent_history.output_bytes',
  'agent_history.output_cut_bytes',
] as const

export async function insertHistory(db: Db, row: Insertable<AgentHistoryTable>): Promise<number> {
  const { id } = await db.insertInto('agent_history').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}

export function findAgentHistory(db: Db, agentId: string, limit: number): Promise<HistoryListRow[]> {
  return db
    .selectFrom('agent_history')
    .select(LISTED)
    .where('agent_id', '=', agentId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** The newest run of these types. */
export function findLastRun(
  db: Db,
  agentId: string,
  types: readonly HistoryType[],
): Promise<HistoryListRow | undefined> {
  return db
    .selectFrom('agent_history')
    .select(LISTED)
    .where('agent_id', '=', agentId)
    .where('type', 'in', types)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export function findHistory(
  db: Db,
  id: number,
  caller: { scope: Scope },
): Promise<HistoryListRow | undefined> {
  return db
    .selectFrom('agent_history')
    .innerJoin('agents', 'agents.agent_id', 'agent_history.agent_id')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .select(LISTED)
    .where('agent_history.id', '=', id)
    .where(visibleTo(caller))
    .executeTakeFirst()
}

export function findOutput(db: Db, historyId: number, after: number) {
  return db
    .selectFrom('history_output')
    .select(['chunk', 'stream', 'text'])
    .where('history_id', '=', historyId)
    .where('chunk', '>', after)
    .orderBy('chunk')
    .execute()
}

export interface Output {
  stdout: string
  stderr: string
}

/** Text read at once. Longer outputs are read one by one. */
const READ_BYTES = 4 * 1024 * 1024

/** The outputs of these runs by their ids; runs without output are left out. */
export async function readOutputs(
  db: Db,
  runs: readonly { id: number; output_bytes: number }[],
): Promise<Map<number, Output>> {
  const outputs = new Map<number, Output>()
  let batch: number[] = []
  let bytes = 0
  for (const { id, output_bytes } of runs) {
    if (output_bytes === 0) continue
    if (batch.length > 0 && bytes + output_bytes > READ_BYTES) await read()
    batch.push(id)
    bytes += output_bytes
  }
  if (batch.length > 0) await read()
  return outputs

  async function read() {
    const rows = await db
      .selectFrom('history_output')
      .select(['history_id', 'stream', 'text'])
      .where('history_id', 'in', batch)
      .orderBy('history_id')
      .orderBy('chunk')
      .execute()
    for (const { history_id, stream, text } of rows) {
      const output = outputs.get(history_id) ?? { stdout: '', stderr: '' }
      output[stream] += text
      outputs.set(history_id, output)
    }
    batch = []
    bytes = 0
  }
}

/**
 * Claims the queued runs of these machines: the rows are marked `sent`, so no other sender gets them. `returning`:
 * machines that have not reported their state yet, whose alert scripts must wait.
 */
export function claimQueued(
  db: Db,
  { agentIds, returning, now }: { agentIds: string[]; returning: string[]; now: Date },
): Promise<HistoryRow[]> {
  const isForAlert = sql<SqlBool>`exists (
    select 1 from alert_actions where alert_actions.history_id = agent_history.id and alert_actions.kind = 'failure')`
  return db
    .updateTable('agent_history')
    .set({ state: 'sent', sent_at: now.toISOString() })
    .where('agent_id', 'in', agentIds)
    .where('state', '=', 'queued')
    .where('expires_at', '>', now.toISOString())
    .$if(returning.length > 0, (query) =>
      query.where((where) => where.not(where.and([where('agent_id', 'in', returning), isForAlert]))),
    )
    .returningAll()
    .execute()
}

/** Runs sent to these machines and never accepted. */
export function findSent(db: Db, agentIds: string[]): Promise<HistoryRow[]> {
  return db
    .selectFrom('agent_history')
    .selectAll()
    .where('agent_id', 'in', agentIds)
    .where('state', '=', 'sent')
    .where('cancel_requested', '=', 0)
    .orderBy('id')
    .execute()
}

/** Cancelled runs that these machines must stop. */
export function findCancelled(db: Db, agentIds: string[]): Promise<HistoryRow[]> {
  return db
    .selectFrom('agent_history')
    .selectAll()
    .where('agent_id', 'in', agentIds)
    .where('state', 'in', ['sent', 'accepted', 'running'])
    .where('cancel_requested', '=', 1)
    .execute()
}

export function findRuns(db: Db, ids: number[]): Promise<HistoryRow[]> {
  return db.selectFrom('agent_history').selectAll().where('id', 'in', ids).execute()
}

/** Changes a row if it is still in one of these states. Returns whether it was. */
export async function updateHistory(
  db: Db,
  id: number,
  from: HistoryState[],
  values: Updateable<AgentHistoryTable>,
): Promise<boolean> {
  const result = await db
    .updateTable('agent_history')
    .set(values)
    .where('id', '=', id)
    .where('state', 'in', from)
    .executeTakeFirst()
  return Number(result.numUpdatedRows) > 0
}

export function viewHistory(row: HistoryListRow): AgentHistory {
  return {
    id: row.id,
    agent_id: row.agent_id,
    time: row.time,
    type: row.type,
    state: row.state,
    reason: row.reason,
    command: row.command,
    script: row.script_id,
    script_name: row.script_name,
    shell: row.shell,
    // Written by create-run.ts as a list of strings.
    args: JSON.parse(row.args) as string[],
    username: row.username,
    job: row.fleet_job_id,
    run_as_user: row.run_as_user,
    timeout: row.timeout_seconds,
    expires_at: row.expires_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
    retcode: row.retcode,
    execution_time: row.execution_time,
    output_bytes: row.output_bytes,
    output_cut_bytes: row.output_cut_bytes,
  }
}

export function viewResult(
  row: HistoryListRow,
  chunks: { stream: 'stdout' | 'stderr'; text: string }[],
): AgentHistoryResult {
  const textOf = (stream: 'stdout' | 'stderr') =>
    chunks
      .filter((chunk) => chunk.stream === stream)
      .map(({ text }) => text)
      .join('')
  return { ...viewHistory(row), stdout: textOf('stdout'), stderr: textOf('stderr') }
}
