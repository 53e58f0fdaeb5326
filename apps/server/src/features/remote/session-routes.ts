import {
  getRecording,
  getScreenRecording,
  getSessionChanges,
  getTerminalDefaults,
  listOpenTerminals,
  listOpenTools,
  listRemoteSessions,
  type RecordingPage,
  type RemoteSession,
  type ScreenRecordingPage,
} from '@muster/contract/api/remote'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { requireRow } from '../../platform/database/change-row.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { type Api, route } from '../../platform/http/route.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { audit } from '../audit/write-audit.ts'
import { findSession, listOpenSessions, listSessions, type SessionRow } from './queries.ts'
import { readRecording } from './read-recording.ts'
import { findSessionChanges, listChanges } from './session-changes.ts'
import { listRecordings, type RecordingRow } from './recording-queries.ts'
import { readPart } from './accept-socket.ts'
import { readScreenEvents } from './screen-recording.ts'
import { findWebTerminal } from './webterm/queries.ts'

/** Tickets of tools, sessions on a machine, and their recordings. */
export function sessionRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(api, getTerminalDefaults, async ({ params, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    return fleet.ask(agent, 'list-shells', { input: {}, author: caller.username })
  })

  route(api, listOpenTerminals, async ({ params, caller }) => {
    const { agent_id } = await requireAgent(ctx.db, params.agent_id, caller)
    const rows = await listOpenSessions(ctx.db, { agentIds: [agent_id] })
    return rows
      .filter(({ tool, joined_session }) => tool === 'terminal' && joined_session === null)
      .filter(({ user_id }) => user_id !== caller.userId)
      .map(({ id, username, started_at }) => ({ session: id, username, started_at }))
      .toSorted((one, other) => one.started_at.localeCompare(other.started_at))
  })

  route(api, listRemoteSessions, async ({ params, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    const rows = await listSessions(ctx.db, agent.agent_id)
    const ids = rows.map(({ id }) => id)
    const parts = Map.groupBy(await listRecordings(ctx.db, ids), ({ session_id }) => session_id)
    const changes = await listChanges(ctx.db, ids)
    return rows.map((row) =>
      viewSession(row, { parts: parts.get(row.id) ?? [], changes: changes.get(row.id) }),
    )
  })

  route(api, listOpenTools, async ({ params, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    const rows = await listOpenSessions(ctx.db, { agentIds: [agent.agent_id] })
    return rows
      .map(({ id, tool, username, started_at }) => ({ id, tool, username, started_at }))
      .toSorted((one, other) => one.started_at.localeCompare(other.started_at))
  })

  route(api, getSessionChanges, async ({ params, caller }) => {
    const session = requireRow(await findSession(ctx.db, params.id), 'session')
    await requireAgent(ctx.db, session.agent_id, caller)
    const changes = await findSessionChanges(ctx.db, session.id)
    if (changes === undefined)
      throw new AppError('not_found', 'The machine has not reported changes of this session.')
    return changes
  })

  route(api, getRecording, async ({ params, query, caller }) => {
    if ((await findSession(ctx.db, params.id)) === undefined)
      return playWebTerminal(ctx, { caller, id: params.id, after: query.after })
    const { session, agent, parts } = await requireRecorded(ctx, params.id, caller)
    if (session.tool !== 'terminal') throw new AppError('not_found', 'This recording is of a desktop.')
    const page = await readRecording(ctx, { parts, startedAt: session.started_at, after: query.after })
    if (query.after === 0) await writeViewed(ctx, { session, agent, caller })
    return page
  })

  route(api, getScreenRecording, async ({ params, query, caller }) => {
    const { session, agent, parts } = await requireRecorded(ctx, params.id, caller)
    if (session.tool === 'terminal') throw new AppError('not_found', 'This recording is of a terminal.')
    const page = await readScreenRecording(ctx, parts[0], query.after)
    if (query.after === 0) await writeViewed(ctx, { session, agent, caller })
    return page
  })
}

async function requireRecorded(ctx: Context, id: string, caller: Caller) {
  const session = requireRow(await findSession(ctx.db, id), 'session')
  const agent = await requireAgent(ctx.db, session.agent_id, caller)
  const [first, ...others] = await listRecordings(ctx.db, [session.id])
  if (first === undefined)
    throw new AppError('not_found', 'This session was not recorded, or its recording has expired.')
  return { session, agent, parts: [first, ...others] as const }
}

function writeViewed(
  ctx: Context,
  {
    session,
    agent,
    caller,
  }: Pick<Awaited<ReturnType<typeof requireRecorded>>, 'session' | 'agent'> & { caller: Caller },
): Promise<void> {
  return ctx.transaction((tx, emit) =>
    audit(tx, {
      caller,
      action: 'view',
      object_type: 'agent',
      message: `Viewed the recording of the ${session.tool === 'vnc' ? 'VNC' : session.tool} of ${session.username} on "${agent.hostname}"`,
      after: { session: session.id },
      agent,
      emit,
    }),
  )
}

const PAGE_BYTES = 2 * 1024 * 1024

/** The next pieces of a recorded desktop, about two megabytes. */
async function readScreenRecording(
  ctx: Context,
  { id, milliseconds }: Pick<RecordingRow, 'id' | 'milliseconds'>,
  after: number,
): Promise<ScreenRecordingPage> {
  const page: ScreenRecordingPage = {
    events: [],
    milliseconds: milliseconds === null ? null : Number(milliseconds),
    next: null,
  }
  let read = 0
  for (const [number, piece] of (await readPart(ctx, id)).entries()) {
    if (number < after) continue
    if (read >= PAGE_BYTES) return { ...page, next: number }
    const bytes = await piece.bytes()
    read += bytes.length
    page.events.push(...readScreenEvents(bytes))
  }
  return page
}

function viewSession(
  row: Omit<SessionRow, 'hostname' | 'joined_username'>,
  { parts, changes }: { parts: readonly RecordingRow[]; changes: number | undefined },
): RemoteSession {
  return {
    id: row.id,
    tool: row.tool,
    joined_session: row.joined_session,
    username: row.username,
    purpose: row.purpose,
    ip_address: row.ip_address,
    started_at: row.started_at,
    ended_at: row.ended_at,
    exit_code: row.exit_code,
    reason: row.reason,
    receipt: changes === undefined ? null : { changes },
    recording:
      parts.length === 0
        ? null
        : {
            bytes: parts.reduce((sum, { bytes }) => sum + Number(bytes), 0),
            problem: parts.find(({ problem }) => problem !== null)?.problem ?? null,
          },
  }
}

/** A page of a recorded shell of the server. The first page writes an audit row. */
async function playWebTerminal(
  ctx: Context,
  { caller, id, after }: { caller: Caller; id: string; after: number },
): Promise<RecordingPage> {
  const row = requireRow(caller.isSuperuser ? await findWebTerminal(ctx.db, id) : undefined, 'session')
  if (row.recorded === 0) throw new AppError('not_found', 'The recording of this session has expired.')
  const page = await readRecording(ctx, { parts: [row], startedAt: row.started_at, after })
  if (after > 0) return page
  await ctx.transaction((tx, emit) =>
    audit(tx, {
      caller,
      action: 'view',
      object_type: 'webterminal',
      message: `Viewed the recording of the web terminal of ${row.username} on "${row.host}"`,
      after: { session: id },
      emit,
    }),
  )
  return page
}
