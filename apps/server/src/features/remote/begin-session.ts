import { randomUUID } from 'node:crypto'
import type { ShellWish } from '@muster/contract/agent/shells'
import type { TerminalRequest, ToolRequest } from '@muster/contract/channels'
import type { Context } from '../../context.ts'
import type { PlacedAgent } from '../agents/queries.ts'
import { audit } from '../audit/write-audit.ts'
import type { LiveCaller } from '../live/live-socket.ts'
import { handOverSession, insertSession, listOpenSessions, type SessionRow } from './queries.ts'
import { theTool } from './tool-words.ts'

/** The session to go on with, if it is this person's on this machine and not over. */
export async function findOwnSession(
  ctx: Context,
  given: { id: string; agent: PlacedAgent; caller: LiveCaller },
): Promise<SessionRow | undefined> {
  const [row] = await listOpenSessions(ctx.db, {
    ids: [given.id],
    agentIds: [given.agent.agent_id],
    userIds: [given.caller.userId],
  })
  return row?.joined_session === null ? row : undefined
}

/**
 * Writes down that a person goes on with a session by another sign-in: it ends with that one then, and not with the one
 * that began it.
 */
export async function goOnWithSession(
  ctx: Context,
  { own, agent, caller }: { own: SessionRow; agent: PlacedAgent; caller: LiveCaller },
): Promise<string> {
  const { digest } = caller.session
  if (own.session_digest === digest) return own.id
  await ctx.transaction(async (tx, emit) => {
    await handOverSession(tx, own.id, { session_digest: digest, ip_address: caller.source })
    emit({ type: 'remote_session.changed', ids: [agent.agent_id], agent_ids: [agent.agent_id] })
    await audit(tx, {
      caller,
      action: 'remote_session',
      object_type: 'agent',
      message: `Went on with ${theTool(own.tool)} on "${agent.hostname}" by another sign-in`,
      after: { session: own.id, begun_from: own.ip_address },
      agent,
      at: ctx.now(),
      emit,
    })
  })
  return own.id
}

/** Writes down that a person begins to use a tool; the row is there before the machine hears of it. */
export async function beginSession(
  ctx: Context,
  given: {
    agent: PlacedAgent
    caller: LiveCaller
    request: ToolRequest
    /** Why, as the person said. */
    purpose: string | undefined
    recorded: boolean
    joined: SessionRow | undefined
  },
): Promise<string> {
  const { agent, caller, request, purpose, recorded, joined } = given
  const id = randomUUID()
  const now = ctx.now()
  await ctx.transaction(async (tx, emit) => {
    await insertSession(tx, {
      id,
      agent_id: agent.agent_id,
      tool: request.tool,
      user_id: caller.userId,
      username: caller.username,
      ip_address: caller.source,
      session_digest: caller.session.digest,
      started_at: now.toISOString(),
      joined_session: joined?.id ?? null,
      purpose: purpose ?? null,
    })
    emit({ type: 'remote_session.changed', ids: [agent.agent_id], agent_ids: [agent.agent_id] })
    await audit(tx, {
      caller,
      action: 'remote_session',
      object_type: 'agent',
      message: `${tellBegin(request, joined)} on "${agent.hostname}"${recorded ? ', recorded' : ''}${purpose === undefined ? '' : `. Reason: ${purpose}`}`,
      after: { session: id, recorded, ...(purpose !== undefined && { purpose }), ...wishOf(request) },
      agent,
      at: now,
      emit,
    })
  })
  return id
}

/** What differs from what the machine does by itself. */
function wishOf(request: ToolRequest): ShellWish & Pick<TerminalRequest, 'join'> {
  if (request.tool !== 'terminal') return {}
  const { shell, as_user, join } = request
  if (join !== undefined) return { join }
  return { ...(shell === undefined ? {} : { shell }), ...(as_user === true ? { as_user } : {}) }
}

function tellBegin(request: ToolRequest, joined: SessionRow | undefined): string {
  if (joined === undefined || request.tool !== 'terminal') return `Opened ${nameOf(request)}`
  const how = request.join?.mode === 'type' ? 'and may type' : 'to look'
  return `Joined the terminal of ${joined.username} ${how}`
}

function nameOf(request: ToolRequest): string {
  return request.tool === 'vnc' ? `VNC to ${request.host}:${request.port}` : `a ${request.tool}`
}
