import type { Report } from '@muster/contract/agent/link'
import type { Event } from '@muster/contract/events'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { audit } from '../audit/write-audit.ts'
import { closeSession, listOpenSessions, type SessionRow } from './queries.ts'
import { formatSeconds, theTool } from './tool-text.ts'

export interface ReportedEnd {
  agentId: string
  report: Extract<Report, { kind: 'session-ended' }>
}

interface Writing {
  ctx: Context
  tx: Db
  emit: (event: Event) => void
}

/** Sessions that agents report as ended. Repeated reports and those of other machines change nothing. */
export async function endReportedSessions(writing: Writing, ends: ReportedEnd[]): Promise<void> {
  if (ends.length === 0) return
  const rows = await listOpenSessions(writing.tx, { ids: ends.map(({ report }) => report.session) })
  for (const { agentId, report } of ends) {
    const row = rows.find(({ id, agent_id }) => id === report.session && agent_id === agentId)
    if (row !== undefined) await writeEnd(writing, row, { exitCode: report.exit_code, reason: report.reason })
  }
}

/** Sessions unknown to a reconnected machine: its agent was restarted. */
export async function endLostSessions(
  ctx: Context,
  machines: readonly { agentId: string; at: string; sessions: readonly string[] }[],
): Promise<void> {
  const open = await listOpenSessions(ctx.db, { agentIds: machines.map(({ agentId }) => agentId) })
  const lost = open.filter(({ id, agent_id, started_at }) => {
    const machine = machines.find(({ agentId }) => agentId === agent_id)
    // Sessions started on the new link are newer than the list.
    return machine !== undefined && started_at < machine.at && !machine.sessions.includes(id)
  })
  if (lost.length === 0) return
  await ctx.transaction(async (tx, emit) => {
    for (const row of lost) {
      await writeEnd({ ctx, tx, emit }, row, { exitCode: null, reason: 'The agent was restarted.' })
    }
  })
}

/** Call before a machine is deleted. */
export async function endSessionsOf(writing: Writing, agentId: string): Promise<void> {
  for (const row of await listOpenSessions(writing.tx, { agentIds: [agentId] }))
    await writeEnd(writing, row, { exitCode: null, reason: 'The machine was removed.' })
}

/** Records the end of a session and its duration, or the refusal of the machine. */
export async function writeEnd(
  { ctx, tx, emit }: Writing,
  row: SessionRow,
  { exitCode, reason, isRefused = false }: { exitCode: number | null; reason: string; isRefused?: boolean },
): Promise<void> {
  const now = ctx.now()
  if (!(await closeSession(tx, row.id, { ended_at: now.toISOString(), exit_code: exitCode, reason }))) return
  const seconds = Math.round((now.getTime() - Date.parse(row.started_at)) / 1000)
  emit({ type: 'remote_session.changed', ids: [row.agent_id], agent_ids: [row.agent_id] })
  await audit(tx, {
    caller: { username: row.username, source: row.ip_address },
    action: 'remote_session',
    object_type: 'agent',
    message: isRefused
      ? `Failed to open ${theTool(row.tool)} on "${row.hostname}": refused by the machine`
      : `${describeEnd(row)} after ${formatSeconds(seconds)}`,
    after: { session: row.id, seconds, exit_code: exitCode, reason },
    agent: { agent_id: row.agent_id },
    at: now,
    emit,
  })
}

function describeEnd({ tool, hostname, joined_session, joined_username }: SessionRow): string {
  if (joined_session !== null)
    return `Left the terminal of ${joined_username ?? 'another user'} on "${hostname}"`
  return `Ended ${theTool(tool)} on "${hostname}"`
}
