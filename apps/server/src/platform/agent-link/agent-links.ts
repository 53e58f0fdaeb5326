import type { LiveFrame } from '@muster/contract/agent/agent-frame'
import { DEAD_AFTER_MS, MAX_RETRY_WITHIN_MS, type ServerFrame } from '@muster/contract/agent/link'
import type { ChannelEnd } from '@muster/contract/agent/channel'
import { AgentId } from '@muster/contract/fields'
import type { WebSocket } from 'ws'
import { LimitedLog } from '../log/limited-log.ts'
import type { Log } from '../log/log.ts'
import { AgentSocket, type AnswerFrame, type KnownAgent, type SocketOwner } from './agent-socket.ts'
import { LinkBudget } from './link-budget.ts'
import type { ChannelReader, LinkChannel } from './link-channels.ts'
import { type QueuedReport, ReportQueue } from './report-queue.ts'
import { SignInPace } from './sign-in-pace.ts'

/** How long the agents of a stopping server spread their reconnecting: about 1,300 a second can sign in. */
const MS_PER_AGENT = 0.75

export interface LinksOwner {
  log: Log
  serverVersion: string
  /** Seconds between metrics samples of a machine. It may change. */
  metricsInterval: () => number
  now: () => Date
  findAgent(agentId: string): Promise<KnownAgent | undefined>
  findRefusal(
    agentId: string,
    known: KnownAgent,
    link: { answer: AnswerFrame; source: string },
  ): ReturnType<SocketOwner['findRefusal']>
  onUp(agentId: string, answer: AnswerFrame, source: string): void
  /** Called when no newer link has replaced the lost one. */
  onDown(agentId: string): void
  /** Called when every report up to `last_report` of the sign-in is stored. */
  onCaughtUp(agentId: string): void
  /** Live data that is not stored. */
  onLive(agentId: string, frame: LiveFrame): void
  /** Stores all reports or none. They are acknowledged when this resolves. */
  store(reports: QueuedReport[]): Promise<void>
}

/** The links of agents connected to this process. Each agent has at most one; the newest wins. */
export class AgentLinks implements AsyncDisposable {
  readonly pace = new SignInPace()
  #owner: LinksOwner
  #sockets = new Map<string, AgentSocket>()
  #queue: ReportQueue
  #limitedLog: LimitedLog
  /** Kept after a link ends. Otherwise a reconnect would reset the budget. */
  #budgets = new Map<string, LinkBudget>()
  #timer: NodeJS.Timeout
  #budgetTimer: NodeJS.Timeout
  #checkedAtMs = Date.now()
  /** No agent is considered dead before this time: the event loop was blocked and their frames are still unread. */
  #patientUntilMs = 0

  constructor(owner: LinksOwner) {
    this.#owner = owner
    this.#limitedLog = new LimitedLog(owner.log)
    this.#queue = new ReportQueue(owner.log, {
      store: (reports) => owner.store(reports),
      onFull: () => this.#forAll((socket) => socket.hold('all reports')),
      onRoom: () => this.#forAll((socket) => socket.release('all reports')),
    })
    this.#timer = setInterval(() => this.#lookAfter(), LOOK_MS)
    this.#budgetTimer = setInterval(() => this.#dropFullBudgets(), BUDGET_TTL_MS)
  }

  get size(): number {
    return this.#sockets.size
  }

  get waitingReports(): number {
    return this.#queue.size
  }

  /** Reports are not stored meanwhile. Agents keep them, and their links stay up. */
  pauseReports(isPaused: boolean): void {
    if (isPaused) this.#queue.pause()
    else this.#queue.resume()
  }

  isConnected(agentId: string): boolean {
    return this.#sockets.has(agentId)
  }

  connectedIds(): string[] {
    return [...this.#sockets.keys()]
  }

  /** Takes over an upgraded socket. `header` is the value of `x-muster-agent`. */
  accept(
    ws: WebSocket,
    header: unknown,
    { source, onSignedIn }: { source: string; onSignedIn: () => void },
  ): void {
    const agentId = AgentId.safeParse(header)
    if (!agentId.success) return ws.close(4400, 'x-muster-agent is missing')
    const { log, serverVersion, metricsInterval, now } = this.#owner
    new AgentSocket(
      {
        log,
        limitedLog: this.#limitedLog,
        serverVersion,
        metricsInterval: metricsInterval(),
        now,
        findAgent: (id) => this.#owner.findAgent(id),
        findRefusal: ({ agentId: id }, known, answer) =>
          this.#owner.findRefusal(id, known, { answer, source }),
        turn: () => this.pace.turn(),
        spend: (id, bytes) => this.#requireBudget(id).spend(bytes, performance.now()),
        onUp: (socket, answer) => {
          onSignedIn()
          this.#up(socket, answer)
        },
        onDown: (socket) => this.#down(socket),
        onCaughtUp: (socket) => {
          if (this.#isCurrent(socket)) this.#owner.onCaughtUp(socket.agentId)
        },
        onLive: (socket, frame) => {
          if (this.#isCurrent(socket)) this.#owner.onLive(socket.agentId, frame)
        },
        onReport: (socket, sent) => this.#queue.add(socket, sent),
      },
      ws,
      agentId.data,
      source,
    )
  }

  /** Returns false if this process has no link to the agent. */
  send(agentId: string, frame: ServerFrame): boolean {
    return this.#sockets.get(agentId)?.send(frame) ?? false
  }

  /** Opens a channel on the agent's link. The caller still has to notify the agent. */
  openChannel(agentId: string, channelReader: ChannelReader): LinkChannel | ChannelEnd {
    const found = this.#sockets.get(agentId)?.channels.open(channelReader)
    return found ?? { code: 'agent_offline', message: 'This machine is not connected.' }
  }

  sendAll(frame: ServerFrame): void {
    this.#forAll((socket) => socket.send(frame))
  }

  /** Asks the agents to spread their reconnecting. Call it before sockets close. */
  announceStop(): void {
    const retryWithinMs = Math.round(this.#sockets.size * MS_PER_AGENT)
    this.sendAll({ type: 'stopping', retry_within_ms: Math.min(MAX_RETRY_WITHIN_MS, retryWithinMs) })
  }

  /** Ends the link of an agent that this server does not know. */
  refuse(agentId: string, code: string, message: string): void {
    this.#sockets.get(agentId)?.refuse(code, message)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    clearInterval(this.#budgetTimer)
    this.#limitedLog[Symbol.dispose]()
    for (const socket of this.#sockets.values()) socket.close()
    await this.#queue[Symbol.asyncDispose]()
    for (const socket of this.#sockets.values()) socket.terminate()
  }

  #up(socket: AgentSocket, answer: AnswerFrame): void {
    this.#sockets.get(socket.agentId)?.terminate()
    this.#sockets.set(socket.agentId, socket)
    if (this.#queue.isFull) socket.hold('all reports')
    this.#owner.onUp(socket.agentId, answer, socket.source)
  }

  #forAll(act: (socket: AgentSocket) => void): void {
    for (const socket of this.#sockets.values()) act(socket)
  }

  #requireBudget(agentId: string): LinkBudget {
    const known = this.#budgets.get(agentId)
    if (known !== undefined) return known
    const budget = new LinkBudget(performance.now())
    this.#budgets.set(agentId, budget)
    return budget
  }

  #dropFullBudgets(): void {
    const nowMs = performance.now()
    for (const [agentId, budget] of this.#budgets) if (budget.isWhole(nowMs)) this.#budgets.delete(agentId)
  }

  #isCurrent(socket: AgentSocket): boolean {
    return this.#sockets.get(socket.agentId) === socket
  }

  #down(socket: AgentSocket): void {
    // A replaced socket closes without an event: its agent is still connected.
    if (!this.#isCurrent(socket)) return
    this.#sockets.delete(socket.agentId)
    this.#owner.onDown(socket.agentId)
  }

  #lookAfter(): void {
    const nowMs = Date.now()
    if (nowMs - this.#checkedAtMs > HELD_UP_MS) this.#patientUntilMs = nowMs + DEAD_AFTER_MS
    this.#checkedAtMs = nowMs
    const mayEnd = nowMs > this.#patientUntilMs
    for (const socket of this.#sockets.values()) {
      if (mayEnd && socket.isSilent(nowMs)) socket.terminate()
      else socket.beat(nowMs)
    }
  }
}

/** Links are checked in small groups, so that no tick pings all of 10,000 agents. */
const LOOK_MS = 250
const BUDGET_TTL_MS = 60_000
const HELD_UP_MS = 700
