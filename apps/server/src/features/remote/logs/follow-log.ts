import type { ChannelEnd } from '@muster/contract/agent/channel'
import type { LogSource } from '@muster/contract/agent/logs'
import type { ChannelAccepted, LogRequest } from '@muster/contract/channels'
import { showRaw } from '@muster/rules/agents/raw-path'
import type { WebSocket } from 'ws'
import type { Context } from '../../../context.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import type { AgentWithSite } from '../../agents/queries.ts'
import { audit } from '../../audit/write-audit.ts'
import type { LiveCaller } from '../../../platform/http/caller.ts'
import { type BufferedMessage, bufferUntilReady } from '../accept-socket.ts'
import { type ChannelHub, STOPPING } from '../channel-hub.ts'
import { ChannelSocket } from '../channel-socket.ts'

interface Following {
  socket: WebSocket
  request: LogRequest
  agent: AgentWithSite
  caller: LiveCaller
  takeEarly: () => BufferedMessage[]
  refuse: (end: ChannelEnd) => void
}

/** Connects a window to a log that a machine follows. It is read-only and not a session: it ends with its window. */
export async function followLog(
  { ctx, fleet, hub }: { ctx: Context; fleet: Fleet; hub: ChannelHub },
  { socket, request, agent, caller, takeEarly, refuse }: Following,
): Promise<void> {
  const source = sourceOf(request)
  await ctx.transaction((tx, emit) =>
    audit(tx, {
      caller,
      action: 'view',
      object_type: 'log',
      message: `Followed ${describe(source)}`,
      after: source,
      agent,
      emit,
    }),
  )
  const welcome: ChannelAccepted = { type: 'welcome', recorded: false }
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(welcome))
  const window = new ChannelSocket(socket, { caller, agentId: agent.agent_id, request, session: null })
  bufferUntilReady(socket, { takeEarly, onFrame: (frame) => window.receive(frame) })
  socket.on('close', () => {
    window.gone()
    hub.remove(window)
  })
  // It may have disconnected during the queries.
  if (socket.readyState !== socket.OPEN) window.gone()
  const opened = await fleet.tools.open(
    agent.agent_id,
    { tool: { tool: 'log', source }, author: caller.username },
    { onFrame: (frame) => window.sendToUser(frame), onEnd: (end) => window.endHere(end) },
  )
  if ('code' in opened) return refuse(opened)
  window.connect(opened)
  if (hub.isStopped) return window.end(STOPPING)
  await hub.add(window)
}

function sourceOf(request: LogRequest): LogSource {
  if (request.tool === 'logfile') return { kind: 'file', path: request.path, anywhere: true }
  const { source } = request
  return source.kind === 'file' ? { ...source, anywhere: false } : source
}

function describe(source: LogSource): string {
  if (source.kind === 'file') return `the file "${showRaw(source.path)}"`
  if (source.kind === 'eventlog') return `the event log "${source.log}"`
  return source.unit === null ? 'the system log' : `the log of "${source.unit}"`
}
