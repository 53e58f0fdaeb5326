import type { CheckDefinition } from '@muster/contract/agent/checks'
import type { CommandInput, CommandName } from '@muster/contract/agent/commands'
import type { TaskDefinition } from '@muster/contract/agent/tasks'
import { type Reply, REPLY_SECONDS, type RequestName } from '@muster/contract/agent/replies'
import type { LiveMetrics } from '@muster/contract/api/metrics'
import type { Report, ServerFrame } from '@muster/contract/agent/link'
import { DEFAULT_METRICS_INTERVAL } from '@muster/contract/agent/metrics'
import type { Context } from '../context.ts'
import { AgentLinks } from '../platform/agent-link/agent-links.ts'
import type { KnownAgent } from '../platform/agent-link/agent-socket.ts'
import { generateKeyPem, openSigningKey, type SigningKey } from '../platform/agent-link/keys.ts'
import { VERSION } from '../platform/config/config.ts'
import { NoResponderError, RequestTimeoutError } from '../platform/bus/bus.ts'
import { readCoreSettings } from '../platform/config/core-settings.ts'
import type { QueuedReport } from '../platform/agent-link/report-queue.ts'
import { AgentCache } from './agent-rows.ts'
import { DefinitionSync } from './definition-sync.ts'
import type { Delivery, FleetHandlers, FleetLinks, Reported, WatchedProcesses } from './handlers.ts'
import { type LinkedMachine, LinkState } from './link-state.ts'
import { type LiveRequest, LiveRequests } from './live-requests.ts'
import { startProcessBeat } from './processes.ts'
import { type Outcome, requireReply } from './requests.ts'
import { ReportLimits } from './report-limits.ts'
import { ReturningAgents } from './returning-agents.ts'
import { type AgentCommand, signAgentCommand } from './sign-agent-command.ts'
import { type ChannelRequest, ToolChannels } from './tool-channels.ts'

/** The metrics interval. Agents receive it when their link comes up, and all of them when the setting changes. */
class MetricsInterval {
  seconds = DEFAULT_METRICS_INTERVAL
  #ctx: Context

  constructor(ctx: Context, sendAll: (frame: ServerFrame) => void) {
    this.#ctx = ctx
    ctx.onEvent(({ type, ids }) => {
      if (type !== 'settings.changed' || !ids.includes('metrics_interval')) return
      void this.read().then(
        () => sendAll({ type: 'settings', metrics_interval: this.seconds }),
        (error: unknown) => ctx.log.error({ err: error }, 'the metrics interval could not be read'),
      )
    })
  }

  async read(): Promise<void> {
    this.seconds = (await readCoreSettings(this.#ctx.db)).metrics_interval
  }
}

const REACH_TIMEOUT_MS = 5000

interface Here<Request> {
  isConnected: (agentId: string) => boolean
  /** Handles a request for an agent whose link this process holds. */
  handle: (agentId: string, request: Request) => Promise<unknown>
}

/** Routes requests for an agent to the process that holds its link: this one, or another over the bus. */
class AgentRouter<Request> {
  #ctx: Context
  #here: Here<Request>
  /** Functions that stop answering the bus for an agent. */
  #answers = new Map<string, () => Promise<void>>()

  constructor(ctx: Context, here: Here<Request>) {
    this.#ctx = ctx
    this.#here = here
  }

  /** Returns the result of the remote `handle`, or undefined if no process has a link to the agent. */
  async ask(agentId: string, request: Request, timeoutMs = REACH_TIMEOUT_MS): Promise<unknown> {
    if (this.#here.isConnected(agentId)) return this.#here.handle(agentId, request)
    try {
      return await this.#ctx.bus.request(subjectOf(agentId), request, { timeoutMs })
    } catch (error) {
      if (error instanceof NoResponderError) return undefined
      throw error
    }
  }

  /** From here on other processes find the link of this agent here. */
  async answerFor(agentId: string): Promise<void> {
    if (this.#ctx.config.natsUrl === undefined || this.#answers.has(agentId)) return
    // `message` was sent by `ask` of a process of the same version.
    const handler = (message: unknown) => this.#here.handle(agentId, message as Request)
    const stop = this.#ctx.bus.answer(subjectOf(agentId), handler)
    this.#answers.set(agentId, async () => (await stop)())
    await stop
  }

  async stopAnswering(agentId: string): Promise<void> {
    const stop = this.#answers.get(agentId)
    this.#answers.delete(agentId)
    await stop?.()
  }
}

function subjectOf(agentId: string): string {
  return `agent.${agentId}`
}

const SETTING = 'command_key'

/** The server's command key: created once, stored encrypted in the settings, shared by all processes. */
async function openCommandKey(ctx: Context): Promise<SigningKey> {
  const sealed = ctx.secrets.encrypt(generateKeyPem())
  await ctx.db
    .insertInto('settings')
    .values({ name: SETTING, value: JSON.stringify(sealed) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const row = await ctx.db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', SETTING)
    .executeTakeFirstOrThrow()
  // Written above, or by an earlier start, as JSON of the sealed text.
  const stored = JSON.parse(row.value) as string
  try {
    return openSigningKey(ctx.secrets.decrypt(stored))
  } catch (cause) {
    throw new Error(
      'the command key in the database was sealed with another secret.key: restore the matching secret.key',
      { cause },
    )
  }
}

function findAgent({ db }: Context, agentId: string): Promise<KnownAgent | undefined> {
  return db
    .selectFrom('agents')
    .select(['public_key', 'hardware'])
    .where('agent_id', '=', agentId)
    .executeTakeFirst()
}

/** Requests of other processes to the one that holds a link. */
type LinkRequest =
  | { kind: 'deliver' }
  | ({ kind: 'agent-command' } & AgentCommand)
  | { kind: 'refuse'; code: string; message: string }
  | LiveRequest
  | ChannelRequest

const ASK_TIMEOUT_MS = (REPLY_SECONDS + 5) * 1000
const FACTS_TIMEOUT_MS = 20_000
const EXPIRE_EVERY_MS = 5000

/** Called once, before any link is there. */
type OpenHandlers = (ctx: Context, links: FleetLinks) => FleetHandlers

/**
 * All agents as seen by this process: the links that it holds, the cached rows, and routing to any agent through the
 * process that holds its link.
 */
export class Fleet implements AsyncDisposable {
  readonly rows: AgentCache
  readonly runs: Pick<FleetHandlers['runs'], 'waitForEnd'>
  readonly links: AgentLinks
  readonly commandKey: SigningKey
  readonly tools: ToolChannels
  #ctx: Context
  #handlers: FleetHandlers
  #reach: AgentRouter<LinkRequest>
  #linkState: LinkState
  #returning: ReturningAgents
  #pace: MetricsInterval
  #limits: ReportLimits
  #checks: DefinitionSync<CheckDefinition>
  #tasks: DefinitionSync<TaskDefinition>
  #live: LiveRequests
  #resources = new AsyncDisposableStack()
  #timer: NodeJS.Timeout

  private constructor(ctx: Context, openHandlers: OpenHandlers, commandKey: SigningKey) {
    this.#ctx = ctx
    this.commandKey = commandKey
    const handlers = openHandlers(ctx, {
      isConnected: (agentId) => this.links.isConnected(agentId),
      connectedIds: () => this.links.connectedIds(),
      send: (agentId, request) => this.#sendAgentCommand(agentId, request),
    })
    this.#handlers = handlers
    this.#live = new LiveRequests(
      (agentId, request, nonce) => this.#sendAgentCommand(agentId, request, nonce),
      handlers.live,
    )
    this.#reach = new AgentRouter(ctx, {
      isConnected: (agentId) => this.links.isConnected(agentId),
      handle: (agentId, request) => this.#handle(agentId, request),
    })
    this.tools = new ToolChannels(ctx.bus, {
      openChannel: (agentId, channelReader) => this.links.openChannel(agentId, channelReader),
      sendOrder: (agentId, request, nonce) => this.#sendAgentCommand(agentId, request, nonce),
      ask: (agentId, request) => this.#reach.ask(agentId, request),
    })
    this.rows = new AgentCache(ctx, handlers.rows)
    this.runs = handlers.runs
    this.#returning = new ReturningAgents(ctx, {
      onReturn: (machines) => handlers.onReturn(machines, () => this.#sendDefinitions(machines)),
      onCaughtUp: (agentIds) => handlers.onCaughtUp(agentIds),
      deliver: (agentIds, again) => this.#deliverHere(agentIds, again),
    })
    this.#linkState = new LinkState(ctx, {
      onUp: (machines) => this.#returning.welcome(machines),
      abilitiesChanged: (tx, emit, agentIds) => handlers.abilitiesChanged(tx, emit, agentIds),
    })
    this.#pace = new MetricsInterval(ctx, (frame) => this.links.sendAll(frame))
    this.#limits = new ReportLimits({ now: ctx.now, intervalSeconds: () => this.#pace.seconds })
    ctx.onEvent(({ type, ids }) => {
      if (type === 'agent.removed') this.#limits.drop(ids.map(String))
    })
    this.links = new AgentLinks({
      log: ctx.log,
      serverVersion: VERSION,
      metricsInterval: () => this.#pace.seconds,
      now: ctx.now,
      findAgent: (agentId) => findAgent(ctx, agentId),
      findRefusal: (agentId, known, link) => handlers.findRefusal(agentId, known, link),
      onUp: (agentId, answer, source) => {
        this.#returning.begin(agentId, answer.last_report ?? 0)
        handlers.onUp(agentId, answer)
        this.#linkState.up(agentId, answer, source)
        void this.#reach.answerFor(agentId)
      },
      onDown: (agentId) => {
        this.#returning.drop(agentId)
        handlers.onDown(agentId)
        this.#linkState.down(agentId)
        this.#live.drop(agentId)
        void this.#reach.stopAnswering(agentId)
      },
      onCaughtUp: (agentId) => this.#returning.catchUp(agentId),
      onLive: (agentId, frame) => {
        if (frame.type === 'reply') this.tools.takeRefusal(agentId, frame)
        this.#live.take(agentId, frame)
      },
      store: (reports) =>
        storeReportBatch(
          ctx,
          { checks: this.#checks, tasks: this.#tasks, limits: this.#limits, handlers },
          reports,
        ),
    })
    this.links.pauseReports(ctx.disk.isLow)
    ctx.disk.onChange((isLow) => this.links.pauseReports(isLow))
    const { checks, tasks } = handlers.definitions
    this.#checks = new DefinitionSync(ctx, checks, this.#linksFor('set-checks'))
    this.#tasks = new DefinitionSync(ctx, tasks, this.#linksFor('set-tasks'))
    this.#timer = setInterval(() => this.#expire(), EXPIRE_EVERY_MS)
  }

  static async open(ctx: Context, openHandlers: OpenHandlers): Promise<Fleet> {
    const fleet = new Fleet(ctx, openHandlers, await openCommandKey(ctx))
    await fleet.#pace.read()
    fleet.#resources.use(await startProcessBeat(ctx, () => fleet.links.connectedIds()))
    return fleet
  }

  /** Sends waiting runs to a connected agent. Returns false if they wait for its reconnect. */
  async deliver(agentId: string): Promise<boolean> {
    return this.#isReached(agentId, { kind: 'deliver' })
  }

  /** The same for many machines, together as far as this process holds their links. */
  async deliverAll(agentIds: readonly string[]): Promise<void> {
    const { here = [], elsewhere = [] } = Object.groupBy(agentIds, (agentId) =>
      this.links.isConnected(agentId) ? 'here' : 'elsewhere',
    )
    if (here.length > 0) await this.#deliverHere(here, 'waiting only')
    await Promise.all(elsewhere.map((agentId) => this.deliver(agentId)))
  }

  /** Sends a command that is not a run. Returns false if the agent is not connected. */
  async sendAgentCommand<Name extends CommandName>(
    agentId: string,
    name: Name,
    order: { input: CommandInput<Name>; author: string },
  ): Promise<boolean> {
    return this.#isReached(agentId, { kind: 'agent-command', name, ...order })
  }

  /** Waits for metrics newer than `after`. Returns undefined if the agent is not connected. */
  async watchMetrics(agentId: string, after: number): Promise<LiveMetrics | undefined> {
    return (await this.#watch(agentId, { kind: 'watch-metrics', after })) as LiveMetrics | undefined
  }

  /** Waits for process changes since `after`. Returns undefined if the agent is not connected. */
  async watchProcesses(agentId: string, after: string): Promise<WatchedProcesses | undefined> {
    return (await this.#watch(agentId, { kind: 'watch-processes', after })) as WatchedProcesses | undefined
  }

  /** Sends a request to an agent and waits for its response. Throws if it is offline, refuses or does not respond. */
  async ask<Name extends RequestName>(
    { agent_id: agentId, hostname }: { agent_id: string; hostname: string },
    name: Name,
    order: { input: CommandInput<Name>; author: string },
  ): Promise<Reply<Name>> {
    // Answered by PendingRequests of the process that holds the link.
    const outcome = (await this.#watch(agentId, { kind: 'ask', name, ...order })) as Outcome | undefined
    return requireReply(name, outcome ?? { outcome: 'offline' }, hostname)
  }

  /** Waits briefly for new facts of an agent. */
  async nextFacts(agentId: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, FACTS_TIMEOUT_MS)
    this.rows.onceChanged(agentId, resolve)
    await promise
    clearTimeout(timer)
  }

  /** Ends the link of a deleted agent. */
  async endLink(agentId: string): Promise<void> {
    await this.#isReached(agentId, {
      kind: 'refuse',
      code: 'unknown_agent',
      message: 'This machine was removed.',
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    this.#live[Symbol.dispose]()
    this.tools[Symbol.dispose]()
    this.rows[Symbol.dispose]()
    await this.#handlers[Symbol.asyncDispose]()
    await this.#checks[Symbol.asyncDispose]()
    await this.#tasks[Symbol.asyncDispose]()
    await this.#linkState[Symbol.asyncDispose]()
    await this.links[Symbol.asyncDispose]()
    await this.#resources.disposeAsync()
  }

  async #isReached(agentId: string, request: LinkRequest): Promise<boolean> {
    // These kinds return whether a link exists.
    return ((await this.#reach.ask(agentId, request)) ?? false) as boolean
  }

  /** Answered by LiveRequests of the process that holds the link. */
  async #watch(agentId: string, request: LiveRequest): Promise<unknown> {
    try {
      return await this.#reach.ask(
        agentId,
        request,
        request.kind === 'ask' ? ASK_TIMEOUT_MS : REACH_TIMEOUT_MS,
      )
    } catch (error) {
      // That process is stopping. The agent will reconnect to another one.
      if (error instanceof RequestTimeoutError)
        return request.kind === 'ask' ? { outcome: 'silent' } : undefined
      throw error
    }
  }

  async #handle(agentId: string, request: LinkRequest): Promise<unknown> {
    switch (request.kind) {
      case 'deliver':
        await this.#deliverHere([agentId], 'waiting only')
        return this.links.isConnected(agentId)
      case 'refuse':
        this.links.refuse(agentId, request.code, request.message)
        return true
      case 'agent-command':
        return this.#sendAgentCommand(agentId, request)
      case 'channel':
        return this.tools.openForOther(agentId, request)
      default:
        return this.#live.handle(agentId, request)
    }
  }

  #sendAgentCommand(agentId: string, { name, input, author }: AgentCommand, nonce?: string): boolean {
    // A list that is already on its way must not use up the allowance of a user's request.
    if (name === 'report-software') this.#limits.expectLists(agentId, author === 'server' ? 1 : 2)
    const content = { agentId, name, input, author, nonce }
    const command = signAgentCommand(this.commandKey, this.#ctx.now(), content)
    return this.links.send(agentId, { type: 'command', command })
  }

  #linksFor(name: 'set-checks' | 'set-tasks') {
    return {
      isConnected: (agentId: string) => this.links.isConnected(agentId),
      connectedIds: () => this.links.connectedIds(),
      send: (agentId: string, input: unknown) =>
        this.#sendAgentCommand(agentId, { name, input, author: 'server' }),
    }
  }

  async #sendDefinitions(machines: LinkedMachine[]): Promise<void> {
    for (const { agentId, checks, tasks } of machines) {
      await this.#checks.meet(agentId, checks)
      await this.#tasks.meet(agentId, tasks)
    }
  }

  async #deliverHere(agentIds: string[], again: 'waiting only' | 'sent before too'): Promise<void> {
    const delivery: Delivery = {
      commandKey: this.commandKey,
      send: (agentId, frame) => this.links.send(agentId, frame),
      isReturning: (agentId) => this.#returning.has(agentId),
      sentOnNewLink: (agentId) => this.#returning.sentOnNewLink(agentId),
    }
    await this.#handlers.runs.deliver(delivery, agentIds, again)
  }

  #expire(): void {
    this.#handlers.runs
      .expire()
      .catch((error: unknown) => this.#ctx.log.error({ err: error }, 'runs not expired'))
    this.#deliverOverlooked().catch((error: unknown) =>
      this.#ctx.log.error({ err: error }, 'queued runs not delivered'),
    )
  }

  /** A process can end after storing a run and before announcing it to the process that holds the link. */
  async #deliverOverlooked(): Promise<void> {
    const agentIds = await this.#handlers.runs.findOverlooked()
    const here = agentIds.filter((agentId) => this.links.isConnected(agentId))
    if (here.length > 0) await this.#deliverHere(here, 'waiting only')
  }
}

/** Sends an agent the definitions that it lacks. */
interface Wanted {
  enqueue(agentId: string, ids: number[]): void
}

/** Stores reports of agents, all or none, and acts on them. */
async function storeReportBatch(
  ctx: Context,
  owner: {
    checks: Wanted
    tasks: Wanted
    limits: ReportLimits
    handlers: Pick<FleetHandlers, 'storeReports'>
  },
  reports: QueuedReport[],
): Promise<void> {
  const { checks, tasks, limits, handlers } = owner
  const { taken, onStored } = limits.sift(reports)
  for (const { agentId, report } of taken) {
    if (report.kind === 'checks-missing') checks.enqueue(agentId, report.ids)
    if (report.kind === 'tasks-missing') tasks.enqueue(agentId, report.ids)
  }
  const of = <Kind extends Report['kind']>(...kinds: Kind[]) => {
    const isOf = (entry: QueuedReport): entry is Reported<Kind> =>
      (kinds as Report['kind'][]).includes(entry.report.kind)
    return taken.filter(isOf)
  }
  const afterCommit = await ctx.transaction((tx, emit) => handlers.storeReports({ tx, emit, limits, of }))
  onStored()
  await afterCommit()
}
