import type { Report } from '@muster/contract/agent/link'
import type { Updateable } from 'kysely'
import { isFinal, isLegalChange } from '@muster/rules/agents/history-state'
import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import { insertRows, jsonRows } from '../../platform/database/json-rows.ts'
import type { AgentHistoryTable, HistoryState } from '../../platform/database/tables/history.ts'
import { audit } from '../audit/write-audit.ts'
import { findOutput, findRuns, type HistoryRow, viewResult } from './queries.ts'

export type RunReport = Extract<Report, { history_id: number }>
export interface ReportedRun {
  agentId: string
  report: RunReport
}

/** Maximum stored output per run. */
export const OUTPUT_CAP_BYTES = 1024 * 1024
/** Maximum stored output per machine and day (UTC). */
export const DAILY_OUTPUT_CAP_BYTES = 100 * 1024 * 1024
/** Maximum of a run when the limit of the day is nearly reached. It is stored even beyond that limit. */
const LIMITED_OUTPUT_CAP_BYTES = 32 * 1024
/** Room of the day from which on runs are limited, so that those of the same moment store their last parts, too. */
const NEAR_DAILY_CAP_BYTES = 4 * OUTPUT_CAP_BYTES
const CUT_NOTE = '\n[Output limit for today reached]\n'

/** How much output each of these machines may send of a run that starts now. */
export async function readOutputCaps(
  db: Db,
  agentIds: readonly string[],
  now: Date,
): Promise<(agentId: string) => number> {
  const days = await OutputDays.read(db, agentIds, now)
  return (agentId) =>
    days.roomOf(agentId) < NEAR_DAILY_CAP_BYTES ? LIMITED_OUTPUT_CAP_BYTES : OUTPUT_CAP_BYTES
}

interface Run {
  row: HistoryRow
  changed: Updateable<AgentHistoryTable>
}

/**
 * Stores reports of runs in order, and returns the changed rows. Reports for a run of another machine, steps back and
 * repeated chunks change nothing.
 */
export async function storeRunReports(tx: Db, reports: ReportedRun[], now: Date): Promise<HistoryRow[]> {
  const runs = new Map<number, Run>()
  for (const row of await findRuns(tx, [...new Set(reports.map(({ report }) => report.history_id))])) {
    runs.set(row.id, { row: { ...row }, changed: {} })
  }
  const writers = reports.flatMap(({ agentId, report }) => (report.kind === 'output' ? [agentId] : []))
  const days = await OutputDays.read(tx, writers, now)
  const chunks: { history_id: number; chunk: number; stream: 'stdout' | 'stderr'; text: string }[] = []
  for (const { agentId, report } of reports) {
    const run = runs.get(report.history_id)
    if (run === undefined || run.row.agent_id !== agentId) continue
    if (report.kind === 'output') {
      if (report.chunk <= run.row.last_chunk) continue
      change(run, { last_chunk: report.chunk })
      const text = takeOutput(run, report.text, days)
      if (text !== '')
        chunks.push({ history_id: run.row.id, chunk: report.chunk, stream: report.stream, text })
    } else {
      applyReport(run, report, now)
    }
  }
  if (chunks.length > 0)
    await insertRows(tx, 'history_output', chunks)
      .onConflict((conflict) => conflict.columns(['history_id', 'chunk']).doNothing())
      .execute()
  await days.write(tx)
  const changedRuns = [...runs.values()].filter(({ changed }) => Object.keys(changed).length > 0)
  await updateRuns(tx, changedRuns)
  return changedRuns.map(({ row }) => row)
}

/** One statement for all runs with the same changed columns. A column that did not change is not written. */
async function updateRuns(tx: Db, runs: readonly Run[]): Promise<void> {
  for (const group of Map.groupBy(runs, ({ changed }) => Object.keys(changed).join(' ')).values()) {
    // A group has at least one member, and `changed` holds columns only.
    const columns = Object.keys(group[0]!.changed) as (keyof HistoryRow)[]
    const rows = group.map(({ row }) => row)
    const given = jsonRows(tx, 'agent_history', ['id', ...columns], rows)
    await tx
      .updateTable('agent_history')
      .from(given.as('given'))
      .set((eb) => Object.fromEntries(columns.map((column) => [column, eb.ref(`given.${column}`)])))
      .whereRef('agent_history.id', '=', 'given.id')
      .execute()
  }
}

/** Returns the part of the text that fits both limits. The rest is counted as cut. */
function takeOutput(run: Run, text: string, days: OutputDays): string {
  if (isFinal(run.row.state)) return ''
  const { agent_id, output_bytes, output_cut_bytes } = run.row
  const bytes = Buffer.byteLength(text)
  const ownRoom = Math.max(0, OUTPUT_CAP_BYTES - output_bytes)
  const room = Math.min(ownRoom, Math.max(days.roomOf(agent_id), LIMITED_OUTPUT_CAP_BYTES - output_bytes))
  const kept = bytes <= room ? text : cutText(text, room)
  const keptBytes = bytes <= room ? bytes : Buffer.byteLength(kept)
  days.add(agent_id, keptBytes)
  change(run, {
    output_bytes: output_bytes + keptBytes,
    output_cut_bytes: output_cut_bytes + bytes - keptBytes,
  })
  const isFirstCut = keptBytes < bytes && output_cut_bytes === 0
  return isFirstCut && room < ownRoom ? kept + CUT_NOTE : kept
}

/** Output stored today per machine, before and in this transaction. */
class OutputDays {
  #day: string
  #bytes: Map<string, number>
  #added = new Set<string>()

  private constructor(day: string, bytes: Map<string, number>) {
    this.#day = day
    this.#bytes = bytes
  }

  static async read(tx: Db, agentIds: readonly string[], now: Date): Promise<OutputDays> {
    const day = now.toISOString().slice(0, 10)
    if (agentIds.length === 0) return new OutputDays(day, new Map())
    const rows = await tx
      .selectFrom('output_days')
      .select(['agent_id', 'bytes'])
      .where('agent_id', 'in', [...new Set(agentIds)])
      .where('day', '=', day)
      .execute()
    return new OutputDays(day, new Map(rows.map((row) => [row.agent_id, row.bytes])))
  }

  roomOf(agentId: string): number {
    return Math.max(0, DAILY_OUTPUT_CAP_BYTES - (this.#bytes.get(agentId) ?? 0))
  }

  add(agentId: string, bytes: number): void {
    if (bytes === 0) return
    this.#bytes.set(agentId, (this.#bytes.get(agentId) ?? 0) + bytes)
    this.#added.add(agentId)
  }

  async write(tx: Db): Promise<void> {
    const rows = [...this.#added].map((agent_id) => ({
      agent_id,
      day: this.#day,
      bytes: this.#bytes.get(agent_id) ?? 0,
    }))
    if (rows.length === 0) return
    await tx
      .insertInto('output_days')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('agent_id').doUpdateSet((eb) => ({
          day: eb.ref('excluded.day'),
          bytes: eb.ref('excluded.bytes'),
        })),
      )
      .execute()
  }
}

function applyReport(run: Run, report: Exclude<RunReport, { kind: 'output' }>, now: Date): void {
  switch (report.kind) {
    case 'accepted':
      if (isLegalChange(run.row.state, 'accepted')) change(run, { state: 'accepted' })
      return
    case 'started':
      if (isLegalChange(run.row.state, 'running')) change(run, { state: 'running', started_at: report.at })
      return
    case 'result': {
      const state = stateAfter(report.outcome, run.row, now)
      if (!isLegalChange(run.row.state, state)) return
      change(run, {
        state,
        reason: report.reason,
        retcode: report.retcode,
        execution_time: report.execution_time,
        finished_at: report.at,
        output_cut_bytes:
          run.row.output_cut_bytes + Math.floor(Math.min(report.output_cut_bytes, MAX_REPORTED_CUT_BYTES)),
        // It contains the script and the environment with secrets, and is not sent again.
        command_input: '',
      })
    }
  }
}

/** A machine may report any number. */
const MAX_REPORTED_CUT_BYTES = Number.MAX_SAFE_INTEGER / 2

type Outcome = Extract<RunReport, { kind: 'result' }>['outcome']

function stateAfter(outcome: Outcome, row: HistoryRow, now: Date): HistoryState {
  switch (outcome) {
    case 'exited':
      return 'done'
    case 'cancelled':
      return 'cancelled'
    case 'refused':
      return now.toISOString() > row.expires_at && isLegalChange(row.state, 'expired') ? 'expired' : 'failed'
    case 'timed_out':
    case 'failed':
      return 'failed'
  }
}

function change(run: Run, values: Partial<HistoryRow>): void {
  Object.assign(run.row, values)
  Object.assign(run.changed, values)
}

/** The longest prefix of the text with at most this many UTF-8 bytes. */
function cutText(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  let end = maxBytes
  // The first cut byte must not continue a character (10xxxxxx).
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.subarray(0, end).toString('utf8')
}

/** Saves the output of ended runs as notes of their machines, if requested. */
export async function saveOutputAsNotes(
  tx: Db,
  emit: (event: Event) => void,
  runs: HistoryRow[],
): Promise<void> {
  for (const row of runs) {
    if (row.save_as_note === 0 || row.finished_at === null) continue
    const { stdout, stderr } = viewResult(row, await findOutput(tx, row.id, 0))
    const note = `${row.command}\n\n${stdout}${stderr}`.trim()
    const { pk } = await tx
      .insertInto('agent_notes')
      .values({ agent_id: row.agent_id, username: row.username, note, entry_time: row.finished_at })
      .returning('pk')
      .executeTakeFirstOrThrow()
    await audit(tx, {
      caller: { username: row.username, source: '' },
      action: 'add',
      object_type: 'note',
      message: `Saved the output of "${row.command}" as a note`,
      after: { note: pk, history: row.id },
      agent: { agent_id: row.agent_id },
      emit,
    })
    emit({ type: 'note.changed', ids: [pk], agent_ids: [row.agent_id] })
  }
}
