import type { ChannelEnd } from '@muster/contract/agent/channel'
import { TOOL_PERMISSIONS, type ToolName } from '@muster/contract/channels'
import type { Event } from '@muster/contract/events'
import { SERVER_MACHINE_REASON } from '@muster/rules/agents/server-machine'
import type { Context } from '../../context.ts'
import { type Caller, type LiveCaller, mayDo } from '../../platform/http/caller.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { findAgentWithSite } from '../agents/queries.ts'
import { findCaller } from '../users/sessions/find-caller.ts'
import { listOpenSessions, type OpenFilter, type SessionRow } from './queries.ts'
import { theTool } from './tool-text.ts'

const SWEEP_MS = 1000
/** Events end channels at once. This covers rights that expire by time, and lost events. */
const RECHECK_MS = 30_000

/** A use of a tool of a machine. */
export interface ToolUse {
  readonly caller: LiveCaller
  readonly agentId: string
  readonly request: { tool: ToolName; join?: unknown }
  checkedAtMs: number
  /** Ends both sides. */
  end: (end: ChannelEnd) => void
}

/** Open tools and file transfers of this process. Each ends when the right to it does. */
export class ChannelHub implements AsyncDisposable {
  #ctx: Context
  #fleet: Fleet
  #sockets = new Set<ToolUse>()
  #timer: NodeJS.Timeout
  #running = new Set<Promise<void>>()
  #isStopped = false

  constructor(ctx: Context, fleet: Fleet) {
    this.#ctx = ctx
    this.#fleet = fleet
    ctx.onEvent((event) => this.#onEvent(event))
    this.#timer = setInterval(() => this.#sweep(), SWEEP_MS)
    this.#timer.unref()
  }

  get size(): number {
    return this.#sockets.size
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Adds a use, and checks its rights again, which may have ended a moment ago. */
  async add(socket: ToolUse): Promise<void> {
    this.#sockets.add(socket)
    await this.#recheck(socket)
  }

  remove(socket: ToolUse): void {
    this.#sockets.delete(socket)
  }

  /** Work that the server waits for when it stops, because it queries the database. */
  async run(work: () => Promise<void>): Promise<void> {
    if (!this.#isStopped) await this.finish(work)
  }

  /** Runs before the sockets close: each window is notified, and its tool continues for its return. */
  stop(): void {
    this.#isStopped = true
    for (const socket of this.#sockets) socket.end(STOPPING)
  }

  /** Work to finish even when the server stops. */
  async finish(work: () => Promise<void>): Promise<void> {
    const running = work().catch((error: unknown) => {
      this.#ctx.log.error({ err: error }, 'channel work failed')
    })
    this.#running.add(running)
    await running
    this.#running.delete(running)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop()
    clearInterval(this.#timer)
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #onEvent(event: Event): void {
    if (event.type === 'agent.removed') {
      const removed = new Set(event.ids.map(String))
      for (const socket of this.#sockets) if (removed.has(socket.agentId)) socket.end(REMOVED)
    }
    if (event.type === 'session.ended') {
      const ended = new Set(event.ids.map(String))
      for (const socket of this.#sockets) {
        if (ended.has(socket.caller.session.digest)) socket.end(SIGNED_OUT)
      }
      void this.run(() => this.#endUnwatched({ digests: [...ended] }))
    }
    if (event.type === 'user.changed' && event.ids.length > 0) {
      const ids = event.ids.map(Number)
      this.#recheckThose(({ caller }) => ids.includes(caller.userId), { userIds: ids })
    } else if (event.type === 'user.changed' || event.type === 'client.changed') {
      // Users with a role or a client that changed.
      this.#recheckThose(() => true, {})
    } else if (event.type === 'remote_access.changed' && event.ids.length > 0) {
      // Also machines that moved, possibly out of scope.
      const ids = event.ids.map(String)
      this.#recheckThose(({ agentId }) => ids.includes(agentId), { agentIds: ids })
    }
  }

  #recheckThose(fits: (socket: ToolUse) => boolean, unwatched: OpenFilter): void {
    for (const socket of this.#sockets) if (fits(socket)) void this.run(() => this.#recheck(socket))
    void this.run(() => this.#endUnwatched(unwatched))
  }

  #sweep(): void {
    const nowMs = performance.now()
    const now = this.#ctx.now().toISOString()
    for (const socket of this.#sockets) {
      if (socket.caller.session.expiresAt <= now || nowMs - socket.checkedAtMs > RECHECK_MS) {
        void this.run(() => this.#recheck(socket))
      }
    }
  }

  async #recheck(socket: ToolUse): Promise<void> {
    socket.checkedAtMs = performance.now()
    const { digest } = socket.caller.session
    const end = await this.#whyNot(digest, socket.caller.source, socket)
    if (end !== undefined) socket.end(end)
  }

  /** Sessions without a window end too. The process with the machine's link notifies it. */
  async #endUnwatched(filter: OpenFilter): Promise<void> {
    const rows = await listOpenSessions(this.#ctx.db, filter)
    for (const row of rows) {
      if (!this.#fleet.links.isConnected(row.agent_id)) continue
      const end = await this.#whyNot(row.session_digest, row.ip_address, toolOf(row))
      if (end === undefined) continue
      await this.#fleet.sendAgentCommand(row.agent_id, 'end-session', {
        input: { session: row.id },
        author: 'server',
      })
    }
  }

  async #whyNot(
    digest: string,
    source: string,
    { agentId, request }: Pick<ToolUse, 'agentId' | 'request'>,
  ): Promise<ChannelEnd | undefined> {
    const caller = await findCaller(this.#ctx, digest, source)
    const session = caller?.session
    if (caller === undefined || session === undefined || session.inGrace || session.pending !== undefined)
      return SIGNED_OUT
    return checkRight(this.#ctx, caller, { agentId, request })
  }
}

/** Returns why the caller may not use the tool on the machine, or undefined. */
export async function checkRight(
  ctx: Context,
  caller: Caller,
  { agentId, request }: Pick<ToolUse, 'agentId' | 'request'>,
): Promise<ChannelEnd | undefined> {
  const { tool, join } = request
  if (!mayDo(caller, TOOL_PERMISSIONS[tool])) {
    return {
      code: 'not_allowed',
      message: `Your role does not allow ${theTool(tool)}.`,
    }
  }
  if (join !== undefined && !mayDo(caller, 'can_join_terminals')) {
    return {
      code: 'not_allowed',
      message: 'Your role does not allow terminals of other users.',
    }
  }
  const agent = await findAgentWithSite(ctx.db, agentId, caller)
  if (agent !== undefined && (agent.server_machine === 0 || caller.isSuperuser)) return undefined
  if (agent !== undefined) return { code: 'not_allowed', message: SERVER_MACHINE_REASON }
  return { code: 'not_found', message: 'This machine does not exist, or you may not see it.' }
}

function toolOf({ agent_id, tool, joined_session }: SessionRow) {
  return { agentId: agent_id, request: joined_session === null ? { tool } : { tool, join: joined_session } }
}

export const STOPPING: ChannelEnd = {
  code: 'server_stopping',
  message: 'The server is stopping. Open the tool again.',
}
const REMOVED: ChannelEnd = { code: 'not_found', message: 'This machine was removed.' }
const SIGNED_OUT: ChannelEnd = { code: 'session_ended', message: 'The session has ended. Sign in again.' }
