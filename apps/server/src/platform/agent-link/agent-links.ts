import type { LiveFrame } from '@muster/contract/agent/agent-frame'
import { DEAD_AFTER_MS, type ServerFrame } from '@muster/contract/agent/link'
import type { ChannelEnd } from '@muster/contract/agent/channel'
import { AgentId } from '@muster/contract/fields'
import type { WebSocket } from 'ws'
import { LimitedLog } from '../log/limited-log.ts'
import type { Log } from '../log/log.ts'
import { AgentSocket, type AnswerFrame } from './agent-socket.ts'
import { LinkBudget } from './link-budget.ts'
import type { ChannelEar, LinkChannel } from './link-channels.ts'
import { type QueuedReport, ReportQueue } from './report-queue.ts'
import { SignInPace } from './sign-in-pace.ts'

export interface LinksOwner {
  log: Log
  serverVersion: string
  /** Seconds: so often machines measure themselves; it may change. */
  metricsInterval: () => number
  now: () => Date
  findKey(agentId: string): Promise<string | undefined>
  /** A machine has signed in. */
  onUp(agentId: string, answer: AnswerFrame, source: string): void
  /** The link of a machine is lost, and no newer one has replaced it. */
  onDown(agentId: string): void
  /** What a machine had to report when it signed in (`last_report`) is stored. */
  onCaughtUp(agentId: string): void
  /** What a machine says for this moment only. */
  onLive(agentId: string, frame: LiveFrame): void
  /** Stores reports, all or none; they are acknowledged when this resolves. */
  store(reports: QueuedReport[]): Promise<void>
}

/** The links of the agents that are connected to this process: at most one for each agent, the newest wins. */
export class AgentLinks implements AsyncDisposable {
  readonly pace = new SignInPace()
  #owner: LinksOwner
  #sockets = new Map<string, AgentSocket>()
  #queue: ReportQueue
  #limitedLog: LimitedLog
  /** Kept over a link's end, or each new link would begin with a new budget. */
  #budgets = new Map<string, LinkBudget>()
  #timer: NodeJS.Timeout
  #budgetTimer: NodeJS.Timeout
  #lookedAtMs = Date.now()
  /** Until then nobody is taken for dead: this process was held up, and what they said meanwhile is unread. */
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
    this.#budgetTimer = setInterval(() => this.#forgetWholeBudgets(), FORGET_BUDGETS_MS)
  }

  get size(): number {
    return this.#sockets.size
  }

  get waitingReports(): number {
    return this.#queue.size
  }

  isConnected(agentId: string): boolean {
    return this.#sockets.has(agentId)
  }

  connectedIds(): string[] {
    return [...this.#sockets.keys()]
  }

  /** Takes over an upgraded socket; `header` is what `x-muster-agent` said. */
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
        findKey: (id) => this.#owner.findKey(id),
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

  /** Sends a frame; false = this process has no link to that agent. */
  send(agentId: string, frame: ServerFrame): boolean {
    return this.#sockets.get(agentId)?.send(frame) ?? false
  }

  /** A channel of this machine's link, of which it is still to be told. */
  openChannel(agentId: string, ear: ChannelEar): LinkChannel | ChannelEnd {
    const found = this.#sockets.get(agentId)?.channels.open(ear)
    return found ?? { code: 'agent_offline', message: 'This machine is not connected.' }
  }

  sendAll(frame: ServerFrame): void {
    this.#forAll((socket) => socket.send(frame))
  }

  /** Ends the link of a machine that this server no longer knows. */
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

  #forgetWholeBudgets(): void {
    const nowMs = performance.now()
    for (const [agentId, budget] of this.#budgets) if (budget.isWhole(nowMs)) this.#budgets.delete(agentId)
  }

  /** No newer link has replaced it. */
  #isCurrent(socket: AgentSocket): boolean {
    return this.#sockets.get(socket.agentId) === socket
  }

  #down(socket: AgentSocket): void {
    // A socket that was replaced goes silently: its agent is still connected.
    if (!this.#isCurrent(socket)) return
    this.#sockets.delete(socket.agentId)
    this.#owner.onDown(socket.agentId)
  }

  #lookAfter(): void {
    const nowMs = Date.now()
    if (nowMs - this.#lookedAtMs > HELD_UP_MS) this.#patientUntilMs = nowMs + DEAD_AFTER_MS
    this.#lookedAtMs = nowMs
    const mayEnd = nowMs > this.#patientUntilMs
    for (const socket of this.#sockets.values()) {
      if (mayEnd && socket.isSilent(nowMs)) socket.terminate()
      else socket.beat(nowMs)
    }
  }
}

/** Links came up at different moments: no look has to ping more than a few of ten thousand. */
const LOOK_MS = 250
const FORGET_BUDGETS_MS = 60_000
const HELD_UP_MS = 700
