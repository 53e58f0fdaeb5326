import { type ChannelEnd, encodeChannelEnd } from '@muster/contract/agent/channel'
import {
  CHANNEL_CLOSE,
  type ChannelAccepted,
  type ChannelHello,
  type TerminalJoin,
  type TerminalRequest,
  type ToolRequest,
} from '@muster/contract/channels'
import { AppError } from '@muster/contract/errors'
import type { WebSocket } from 'ws'
import { isAllowedVncTarget } from '@muster/rules/remote/vnc-targets'
import { randomUUID } from 'node:crypto'
import type { ShellRequest } from '@muster/contract/agent/shells'
import type { Context } from '../../context.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { requireAgent } from '../agents/require-agent.ts'
import type { ChannelOrder } from '../../fleet/tool-channels.ts'
import type { Caller, LiveCaller } from '../../platform/http/caller.ts'
import { readCoreSettings } from '../../platform/config/core-settings.ts'
import type { Db } from '../../platform/database/database.ts'
import type { AgentWithSite } from '../agents/queries.ts'
import { audit } from '../audit/write-audit.ts'
import { followLog } from './logs/follow-log.ts'
import type { SocketBrowser } from '../users/sessions/socket-tickets.ts'
import { authenticateSocket, type BufferedMessage, bufferUntilReady } from './accept-socket.ts'
import { type ChannelHub, checkRight, STOPPING } from './channel-hub.ts'
import { ChannelSocket } from './channel-socket.ts'
import { writeEnd } from './end-sessions.ts'
import { checkMfa } from './check-mfa.ts'
import { handOverSession, insertSession, listOpenSessions, type SessionRow } from './queries.ts'
import type { WindowRecording } from './recording.ts'
import { beginRecording, isRecorded } from './recordings.ts'
import { findReasonRequired, targetsOf } from './access/queries.ts'
import { aTool, theTool } from './tool-text.ts'

/** With one of these a machine reports that the session does not exist or has ended. */
const NOT_THERE = new Set<ChannelEnd['code']>(['not_found', 'too_many', 'refused', 'no_shell'])

/** Limit of the contract's `open-channel`. */
const MAX_PERSON_CHARS = 300

interface Parts {
  ctx: Context
  fleet: Fleet
  hub: ChannelHub
}

interface Opening {
  socket: WebSocket
  hello: ChannelHello
  agentId: string
  browser: SocketBrowser
  /** The ticket is valid. */
  onSignedIn: () => void
  /** Data after the hello, before a handler was attached. */
  takeEarly: () => BufferedMessage[]
}

/** Opens a tool for the holder of the ticket: checks the right, records it, and connects both sides. */
export async function openTool({ ctx, fleet, hub }: Parts, opening: Opening): Promise<void> {
  const { socket, hello, agentId } = opening
  const refuse = (end: ChannelEnd) => {
    if (socket.readyState === socket.OPEN) socket.send(encodeChannelEnd(0, end))
    socket.close(CHANNEL_CLOSE.over, end.code)
  }
  const caller = await authenticateSocket(ctx, opening)
  if (caller === undefined) return
  const { request, purpose: reason } = hello
  const { tool } = request
  // Every window starts a new desktop session.
  const join = joinOf(request)
  const wanted = request.tool === 'terminal' && join === undefined ? request.session : null
  const refusal = await checkRight(ctx, caller, { agentId, request })
  if (refusal !== undefined) return refuse(refusal)
  const elsewhere = await checkVncTarget(ctx, request)
  if (elsewhere !== undefined) return refuse(elsewhere)
  const agent = await requireAgent(ctx.db, agentId, caller)
  if (agent.connected === 0)
    return refuse({
      code: 'agent_offline',
      message: `"${agent.hostname}" is offline. Try again when it is connected.`,
    })
  if (request.tool === 'log' || request.tool === 'logfile')
    return followLog({ ctx, fleet, hub }, { ...opening, request, agent, caller, refuse })
  const own = wanted === null ? undefined : await findOwnSession(ctx, { id: wanted, agent, caller })
  if (wanted !== null && own === undefined)
    return refuse({ code: 'not_found', message: `This ${tool} has ended. Open a new one.` })
  const joined = await findJoined(ctx, { join, agentId })
  if (joined !== undefined && 'code' in joined) return refuse(joined)
  // A session of this sign-in can continue without a code.
  const code = own?.session_digest === caller.session.digest ? undefined : checkMfa(caller, tool, ctx.now())
  if (code !== undefined) return refuse(code)
  const unsaid =
    own === undefined && reason === undefined
      ? await checkReason(ctx.db, { agent, tool: request.tool })
      : undefined
  if (unsaid !== undefined) return refuse(unsaid)
  const recorded = await isRecorded(ctx, { agent, tool: request.tool })
  const session =
    own === undefined
      ? await beginSession(ctx, { agent, caller, request, reason, recorded, joined })
      : await continueSession(ctx, { own, agent, caller })
  const onUnfit = (message: string) => window.end({ code: 'refused', message })
  const recording = recorded ? await record(ctx, { session, request, onUnfit }) : undefined
  if (recording !== undefined && 'code' in recording) {
    if (own === undefined) await writeNotThere(ctx, session, recording)
    return refuse(recording)
  }
  const welcome: ChannelAccepted = { type: 'welcome', recorded }
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(welcome))

  const window = new ChannelSocket(socket, { caller, agentId, request, session })
  window.onOver = () => void hub.finish(async () => recording?.end())
  bufferUntilReady(socket, {
    takeEarly: opening.takeEarly,
    onFrame: (frame) => {
      recording?.fromPerson(frame)
      window.receive(frame)
    },
  })
  socket.on('close', () => {
    window.gone()
    hub.remove(window)
  })
  // It may have disconnected during the queries.
  if (socket.readyState !== socket.OPEN) window.gone()
  const opened = await fleet.tools.open(
    agentId,
    {
      tool: orderOf(request, { session, resume: own !== undefined || join !== undefined }),
      author: caller.username,
      person: await namePerson(ctx, caller),
      ...(reason !== undefined && { purpose: reason }),
      ...(recorded && { recorded }),
    },
    {
      onFrame: (frame) => {
        recording?.fromMachine(frame)
        window.sendToUser(frame)
      },
      onEnd: (end) => {
        window.endHere(end)
        if (NOT_THERE.has(end.code)) void hub.run(() => writeNotThere(ctx, session, end, own === undefined))
      },
    },
  )
  if ('code' in opened) {
    if (own === undefined) await writeNotThere(ctx, session, opened)
    window.onOver()
    return refuse(opened)
  }
  window.connect(opened)
  if (hub.isStopped) return window.end(STOPPING)
  await hub.add(window)
}

/** The name shown to the person at the machine. */
async function namePerson({ db }: Context, { name, username }: Caller): Promise<string> {
  const { companyname: company } = await readCoreSettings(db)
  const person = name === null ? username : `${name} (${username})`
  return (company === '' ? person : `${person} of ${company}`).slice(0, MAX_PERSON_CHARS)
}

function orderOf(
  request: ToolRequest,
  { session, resume }: { session: string; resume: boolean },
): ChannelOrder['tool'] {
  return request.tool === 'terminal' ? { ...request, session, resume } : { ...request, session }
}

/** Returns a recording, or why the tool cannot be opened without one. */
async function record(
  ctx: Context,
  given: Parameters<typeof beginRecording>[1],
): Promise<WindowRecording | ChannelEnd> {
  try {
    return await beginRecording(ctx, given)
  } catch (error) {
    if (error instanceof AppError) return { code: 'failed', message: error.message }
    throw error
  }
}

/** The machine does not have the session, so it will not report its end. */
async function writeNotThere(ctx: Context, session: string, end: ChannelEnd, isNew = false): Promise<void> {
  const [row] = await listOpenSessions(ctx.db, { ids: [session] })
  if (row === undefined) return
  await ctx.transaction((tx, emit) =>
    writeEnd({ ctx, tx, emit }, row, {
      exitCode: null,
      reason: end.message,
      isRefused: isNew && (end.code === 'refused' || end.code === 'no_shell'),
    }),
  )
}

/** The terminal to join. Undefined = the user's own. */
function joinOf(request: ChannelHello['request']): TerminalJoin | undefined {
  return request.tool === 'terminal' ? request.join : undefined
}

/** Returns the session to join if it is an open terminal of this machine, else the reason. */
async function findJoined(
  ctx: Context,
  { join, agentId }: { join: TerminalJoin | undefined; agentId: string },
): Promise<SessionRow | ChannelEnd | undefined> {
  if (join === undefined) return undefined
  const [row] = await listOpenSessions(ctx.db, { ids: [join.session], agentIds: [agentId] })
  // A joined session cannot itself be joined.
  if (row?.tool === 'terminal' && row.joined_session === null) return row
  return { code: 'not_found', message: 'This terminal has ended. Open a new one.' }
}

/** Returns why VNC to this target is forbidden, or undefined. Only allowed targets are signed. */
async function checkVncTarget(
  ctx: Context,
  request: ChannelHello['request'],
): Promise<ChannelEnd | undefined> {
  if (request.tool !== 'vnc') return undefined
  const { vnc_targets: lines } = await readCoreSettings(ctx.db)
  if (isAllowedVncTarget(lines, request)) return undefined
  const message = `VNC to ${request.host}:${request.port} is not allowed. It can be allowed in the global settings.`
  return { code: 'refused', message }
}

/** Returns why the tool requires a reason on this machine, or undefined. */
async function checkReason(
  db: Db,
  { agent, tool }: { agent: AgentWithSite; tool: ToolRequest['tool'] },
): Promise<ChannelEnd | undefined> {
  if (!(await findReasonRequired(db, targetsOf(agent)))) return undefined
  const message = `Enter a reason to open ${aTool(tool)} on "${agent.hostname}". It is stored in the audit log and shown at the machine.`
  return { code: 'purpose_needed', message }
}

/** Returns the session to continue, if it belongs to this user on this machine and has not ended. */
async function findOwnSession(
  ctx: Context,
  given: { id: string; agent: AgentWithSite; caller: LiveCaller },
): Promise<SessionRow | undefined> {
  const [row] = await listOpenSessions(ctx.db, {
    ids: [given.id],
    agentIds: [given.agent.agent_id],
    userIds: [given.caller.userId],
  })
  return row?.joined_session === null ? row : undefined
}

/** Records that a session is continued by another sign-in: it ends with that sign-in instead of the first. */
async function continueSession(
  ctx: Context,
  { own, agent, caller }: { own: SessionRow; agent: AgentWithSite; caller: LiveCaller },
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
      message: `Continued ${theTool(own.tool)} on "${agent.hostname}" with another sign-in`,
      after: { session: own.id, begun_from: own.ip_address },
      agent,
      at: ctx.now(),
      emit,
    })
  })
  return own.id
}

/** Records the start of a session, before the machine is asked. */
async function beginSession(
  ctx: Context,
  given: {
    agent: AgentWithSite
    caller: LiveCaller
    request: ToolRequest
    /** The reason given by the user. */
    reason: string | undefined
    recorded: boolean
    joined: SessionRow | undefined
  },
): Promise<string> {
  const { agent, caller, request, reason, recorded, joined } = given
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
      purpose: reason ?? null,
    })
    emit({ type: 'remote_session.changed', ids: [agent.agent_id], agent_ids: [agent.agent_id] })
    await audit(tx, {
      caller,
      action: 'remote_session',
      object_type: 'agent',
      message: `${describeBegin(request, joined)} on "${agent.hostname}"${recorded ? ', recorded' : ''}${reason === undefined ? '' : `. Reason: ${reason}`}`,
      after: {
        session: id,
        recorded,
        ...(reason !== undefined && { purpose: reason }),
        ...optionsOf(request),
      },
      agent,
      at: now,
      emit,
    })
  })
  return id
}

/** Options that differ from the defaults of the agent. */
function optionsOf(request: ToolRequest): ShellRequest & Pick<TerminalRequest, 'join'> {
  if (request.tool !== 'terminal') return {}
  const { shell, as_user, join } = request
  if (join !== undefined) return { join }
  return { ...(shell === undefined ? {} : { shell }), ...(as_user === true ? { as_user } : {}) }
}

function describeBegin(request: ToolRequest, joined: SessionRow | undefined): string {
  if (joined === undefined || request.tool !== 'terminal') return `Opened ${nameOf(request)}`
  const how = request.join?.mode === 'type' ? 'with input' : 'read-only'
  return `Joined the terminal of ${joined.username} ${how}`
}

function nameOf(request: ToolRequest): string {
  return request.tool === 'vnc' ? `VNC to ${request.host}:${request.port}` : `a ${request.tool}`
}
