import type { ChannelEnd } from '@muster/contract/agent/channel'
import { encodeChannelEnd } from '@muster/contract/agent/channel'
import {
  CHANNEL_CLOSE,
  type ChannelHello,
  type ChannelWelcome,
  type ToolRequest,
} from '@muster/contract/channels'
import { AppError } from '@muster/contract/errors'
import type { WebSocket } from 'ws'
import type { Context } from '../../context.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { requireAgent } from '../agents/require-agent.ts'
import type { ChannelOrder } from '../../fleet/tool-channels.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { readCoreSettings } from '../settings/queries.ts'
import { followLog } from './logs/follow-log.ts'
import type { EarlyMessage } from './await-hello.ts'
import { beginSession, findOwnSession, goOnWithSession } from './begin-session.ts'
import { type ChannelHub, STOPPING, whyNotAllowed } from './channel-hub.ts'
import { ChannelSocket } from './channel-socket.ts'
import { writeEnd } from './end-sessions.ts'
import { hearWindow } from './hear-window.ts'
import { redeemHello } from './redeem-hello.ts'
import { findJoined, joinOf } from './find-joined.ts'
import { whyCodeNeeded } from './why-code-needed.ts'
import { listOpenSessions } from './queries.ts'
import type { WindowRecording } from './recording.ts'
import { beginRecording, isRecorded } from './recordings.ts'
import { whyNoTarget } from './why-no-target.ts'
import { whyPurposeNeeded } from './why-purpose-needed.ts'

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
