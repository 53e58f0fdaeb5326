import { type ChannelEnd, encodeChannelEnd } from '@muster/contract/agent/channel'
import {
  CHANNEL_CLOSE,
  type ChannelHello,
  type ChannelWelcome,
  type TerminalJoin,
  type TerminalRequest,
  type ToolRequest,
} from '@muster/contract/channels'
import { AppError } from '@muster/contract/errors'
import type { WebSocket } from 'ws'
import { isAllowedVncTarget } from '@muster/rules/remote/vnc-targets'
import { randomUUID } from 'node:crypto'
import type { ShellWish } from '@muster/contract/agent/shells'
import type { Context } from '../../context.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { requireAgent } from '../agents/require-agent.ts'
import type { ChannelOrder } from '../../fleet/tool-channels.ts'
import type { Caller, LiveCaller } from '../../platform/http/caller.ts'
import { readCoreSettings } from '../../platform/config/core-settings.ts'
import type { Db } from '../../platform/database/database.ts'
import type { PlacedAgent } from '../agents/queries.ts'
import { audit } from '../audit/write-audit.ts'
import { followLog } from './logs/follow-log.ts'
import { type EarlyMessage, hearWindow, redeemHello } from './await-hello.ts'
import { type ChannelHub, STOPPING, whyNotAllowed } from './channel-hub.ts'
import { ChannelSocket } from './channel-socket.ts'
import { writeEnd } from './end-sessions.ts'
import { whyCodeNeeded } from './code-needed.ts'
import { handOverSession, insertSession, listOpenSessions, type SessionRow } from './queries.ts'
import type { WindowRecording } from './recording.ts'
import { beginRecording, isRecorded } from './recordings.ts'
import { placesOf } from './access/place.ts'
import { findAsksPurpose } from './access/queries.ts'
import { aTool, theTool } from './tool-text.ts'

/** A machine that ends a channel with one of these has no such session, or none any more. */
const NOT_THERE = new Set<ChannelEnd['code']>(['not_found', 'too_many', 'refused', 'no_shell'])

/** Of the contract's `open-channel`. */
const MAX_PERSON_CHARS = 300

interface Parts {
  ctx: Context
  fleet: Fleet
  hub: ChannelHub
}

interface Wish {
  socket: WebSocket
  hello: ChannelHello
  agentId: string
  source: string
  /** The ticket holds. */
  onSignedIn: () => void
  /** What came after the hello before anybody listened. */
  takeEarly: () => EarlyMessage[]
}

/** Opens a tool for who holds the ticket: looks at the right to it, writes it down, and connects both sides. */
export async function openTool({ ctx, fleet, hub }: Parts, wish: Wish): Promise<void> {
  const { socket, hello, agentId } = wish
  const refuse = (end: ChannelEnd) => {
    if (socket.readyState === socket.OPEN) socket.send(encodeChannelEnd(0, end))
    socket.close(CHANNEL_CLOSE.over, end.code)
  }
  const caller = await redeemHello(ctx, wish)
  if (caller === undefined) return
  const { request, purpose } = hello
  const { tool } = request
  // A desktop begins anew with each window.
  const join = joinOf(request)
  const wanted = request.tool === 'terminal' && join === undefined ? request.session : null
  const refusal = await whyNotAllowed(ctx, caller, { agentId, request })
  if (refusal !== undefined) return refuse(refusal)
  const elsewhere = await whyNoTarget(ctx, request)
  if (elsewhere !== undefined) return refuse(elsewhere)
  const agent = await requireAgent(ctx.db, agentId, caller)
  if (agent.connected === 0)
    return refuse({ code: 'agent_offline', message: `"${agent.hostname}" is not connected.` })
  if (request.tool === 'log' || request.tool === 'logfile')
    return followLog({ ctx, fleet, hub }, { ...wish, request, agent, caller, refuse })
  const own = wanted === null ? undefined : await findOwnSession(ctx, { id: wanted, agent, caller })
  if (wanted !== null && own === undefined)
    return refuse({ code: 'not_found', message: `This ${tool} has ended. Open a new one.` })
  const joined = await findJoined(ctx, { join, agentId })
  if (joined !== undefined && 'code' in joined) return refuse(joined)
  // What this very sign-in has begun goes on.
  const code =
    own?.session_digest === caller.session.digest ? undefined : whyCodeNeeded(caller, tool, ctx.now())
  if (code !== undefined) return refuse(code)
  const unsaid =
    own === undefined && purpose === undefined
      ? await whyPurposeNeeded(ctx.db, { agent, tool: request.tool })
      : undefined
  if (unsaid !== undefined) return refuse(unsaid)
  const recorded = await isRecorded(ctx, { agent, tool: request.tool })
  const session =
    own === undefined
      ? await beginSession(ctx, { agent, caller, request, purpose, recorded, joined })
      : await goOnWithSession(ctx, { own, agent, caller })
  const onUnfit = (message: string) => window.end({ code: 'refused', message })
  const recording = recorded ? await record(ctx, { session, request, onUnfit }) : undefined
  if (recording !== undefined && 'code' in recording) {
    if (own === undefined) await writeNotThere(ctx, session, recording)
    return refuse(recording)
  }
  const welcome: ChannelWelcome = { type: 'welcome', recorded }
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(welcome))

  const window = new ChannelSocket(socket, { caller, agentId, request, session })
  window.onOver = () => void hub.finish(async () => recording?.end())
  hearWindow(socket, {
    takeEarly: wish.takeEarly,
    onFrame: (frame) => {
      recording?.fromPerson(frame)
      window.hear(frame)
    },
  })
  socket.on('close', () => {
    window.gone()
    hub.remove(window)
  })
  // It may have gone while all of this was looked up.
  if (socket.readyState !== socket.OPEN) window.gone()
  const opened = await fleet.tools.open(
    agentId,
    {
      tool: orderOf(request, { session, resume: own !== undefined || join !== undefined }),
      author: caller.username,
      person: await namePerson(ctx, caller),
      ...(purpose !== undefined && { purpose }),
      ...(recorded && { recorded }),
    },
    {
      onFrame: (frame) => {
        recording?.fromMachine(frame)
        window.tell(frame)
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

/** The name that the person at the machine reads. */
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

/** A recording, or why the tool is not opened without one. */
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

/** The machine does not have it, so it will not say that it is over. */
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

/** The colleague's terminal that is asked for; undefined = one of one's own is. */
function joinOf(request: ChannelHello['request']): TerminalJoin | undefined {
  return request.tool === 'terminal' ? request.join : undefined
}

/** The session that is to be joined, if it is an open terminal of this machine; else why not. */
async function findJoined(
  ctx: Context,
  { join, agentId }: { join: TerminalJoin | undefined; agentId: string },
): Promise<SessionRow | ChannelEnd | undefined> {
  if (join === undefined) return undefined
  const [row] = await listOpenSessions(ctx.db, { ids: [join.session], agentIds: [agentId] })
  // A visit is none that others could join.
  if (row?.tool === 'terminal' && row.joined_session === null) return row
  return { code: 'not_found', message: 'This terminal has ended.' }
}

/** Why VNC may not be opened to what is asked for; undefined where it may. Nothing else is ever signed. */
async function whyNoTarget(ctx: Context, request: ChannelHello['request']): Promise<ChannelEnd | undefined> {
  if (request.tool !== 'vnc') return undefined
  const { vnc_targets: lines } = await readCoreSettings(ctx.db)
  if (isAllowedVncTarget(lines, request)) return undefined
  const message = `VNC to ${request.host}:${request.port} is not allowed. Who may change the global settings can allow it there.`
  return { code: 'refused', message }
}

/** Why a tool is not opened on this machine before somebody has said what for; undefined where nobody has to. */
async function whyPurposeNeeded(
  db: Db,
  { agent, tool }: { agent: PlacedAgent; tool: ToolRequest['tool'] },
): Promise<ChannelEnd | undefined> {
  if (!(await findAsksPurpose(db, placesOf(agent)))) return undefined
  const message = `Say why you open ${aTool(tool)} on "${agent.hostname}". The reason stands in the audit log, and the person at the machine reads it when asked.`
  return { code: 'purpose_needed', message }
}

/** The session to go on with, if it is this person's on this machine and not over. */
async function findOwnSession(
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
async function goOnWithSession(
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
async function beginSession(
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
