import type { CheckDefinition } from '@muster/contract/agent/checks'
import type { CommandInput, CommandName } from '@muster/contract/agent/commands'
import type { TaskDefinition } from '@muster/contract/agent/tasks'
import type { LiveMetrics as LiveAnswer } from '@muster/contract/api/metrics'
import type { Context } from '../../context.ts'
import { AgentLinks } from '../../platform/agent-link/agent-links.ts'
import type { SigningKey } from '../../platform/agent-link/keys.ts'
import type { QueuedReport } from '../../platform/agent-link/report-queue.ts'
import { VERSION } from '../../platform/config/version.ts'
import { NoResponderError, RequestTimeoutError } from '../../platform/bus/bus.ts'
import { tendAlerts } from '../alerts/tend-alerts.ts'
import { redefineVariables } from '../checks/redefine-variables.ts'
import { type ReportedDrop, storeDropped } from '../checks/dropped-results.ts'
import { type ReportedResults, storeResults } from '../checks/store-results.ts'
import { toldChecks } from '../checks/told-checks.ts'
import { LiveMetrics } from '../metrics/live-metrics.ts'
import { type ReportedMetrics, storeMetrics } from '../metrics/store-metrics.ts'
import { settleActions } from '../alert-templates/settle-actions.ts'
import { deliverRuns, emitChanged } from '../history/deliver-runs.ts'
import { failLostRuns } from '../history/fail-lost-runs.ts'
import { expireRuns } from '../history/expire-runs.ts'
import { saveOutputAsNotes } from '../history/save-as-note.ts'
import { RunTracker } from '../history/run-tracker.ts'
import { type ReportedRun, storeRunReports } from '../history/store-run-reports.ts'
import { type ReportedTask, storeTaskReports } from '../tasks/store-task-reports.ts'
import { toldTasks } from '../tasks/told-tasks.ts'
import { AgentRows } from './agent-rows.ts'
import { openCommandKey } from './command-key.ts'
import { DefinitionSync, type SyncLinks } from './definition-sync.ts'
import { LinkState, type LinkedMachine } from './link-state.ts'
import { startProcessBeat } from './processes.ts'
import { findAgentKey } from './queries.ts'
import { type Chore, signChore } from './sign-chore.ts'
import { storeFacts } from './store-facts.ts'

/** What another process may ask of the one that holds a link. */
type LinkRequest =
  | { kind: 'deliver' }
  | ({ kind: 'chore' } & Chore)
  | { kind: 'refuse'; code: string; message: string }
  | { kind: 'watch'; after: number }

const REACH_TIMEOUT_MS = 5000
const FACTS_TIMEOUT_MS = 20_000
const EXPIRE_EVERY_MS = 5000

/**
 * The machines as this process sees them: the links it holds, the rows of all, and the way to reach any of them,
 * whichever process holds its link.
 */
export class Fleet implements AsyncDisposable {
  readonly rows: AgentRows
  readonly runs: RunTracker
  readonly links: AgentLinks
  readonly commandKey: SigningKey
  #ctx: Context
  #linkState: LinkState
  #checks: DefinitionSync<CheckDefinition>
  #tasks: DefinitionSync<TaskDefinition>
  #liveMetrics = new LiveMetrics((agentId, seconds) =>
    this.#sendChore(agentId, { name: 'watch-metrics', input: { seconds }, author: 'server' }),
  )
  #answers = new Map<string, () => Promise<void>>()
  #resources = new AsyncDisposableStack()
  #timer: NodeJS.Timeout

  private constructor(ctx: Context, commandKey: SigningKey) {
    this.#ctx = ctx
    this.commandKey = commandKey
    this.rows = new AgentRows(ctx)
    this.runs = new RunTracker(ctx)
    this.#linkState = new LinkState(ctx, (machines) => this.#welcomeBack(machines))
    this.links = new AgentLinks({
      log: ctx.log,
      serverVersion: VERSION,
      now: ctx.now,
      findKey: async (agentId) => (await findAgentKey(ctx.db, agentId))?.public_key,
      onUp: (agentId, answer, source) => {
        this.#linkState.up(agentId, answer, source)
        void this.#answerFor(agentId)
      },
      onDown: (agentId) => {
        this.#linkState.down(agentId)
        this.#liveMetrics.forget(agentId)
        void this.#stopAnswering(agentId)
      },
      onLive: (agentId, sample) => this.#liveMetrics.take(agentId, sample),
      store: (reports) => this.#store(reports),
    })
    this.#checks = new DefinitionSync(ctx, toldChecks, this.#linksFor('set-checks'))
    this.#tasks = new DefinitionSync(ctx, toldTasks, this.#linksFor('set-tasks'))
    this.#timer = setInterval(() => this.#expire(), EXPIRE_EVERY_MS)
  }

  static async open(ctx: Context): Promise<Fleet> {
    const fleet = new Fleet(ctx, await openCommandKey(ctx))
    fleet.#resources.use(await startProcessBeat(ctx, () => fleet.links.connectedIds()))
    return fleet
  }

  /** Sends what waits for a machine, if it is connected anywhere; false = it waits until the machine is back. */
  async deliver(agentId: string): Promise<boolean> {
    return this.#reach(agentId, { kind: 'deliver' })
  }

  /** Asks a machine for something that is no run; false = it is not connected. */
  async sendChore<Name extends CommandName>(
    agentId: string,
    name: Name,
    order: { input: CommandInput<Name>; author: string },
  ): Promise<boolean> {
    return this.#reach(agentId, { kind: 'chore', name, ...order })
  }

  /** What a machine measures now and newer than `after`, waited for; undefined = it is not connected. */
  async watchMetrics(agentId: string, after: number): Promise<LiveAnswer | undefined> {
    try {
      // Answered by LiveMetrics of the process that holds the link.
      return (await this.#ask(agentId, { kind: 'watch', after })) as LiveAnswer | undefined
    } catch (error) {
      // That process is just going; the machine will be with another one.
      if (error instanceof RequestTimeoutError) return undefined
      throw error
    }
  }

  /** Waits until a machine has reported facts, or a short while. */
  async nextFacts(agentId: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, FACTS_TIMEOUT_MS)
    this.rows.onceChanged(agentId, resolve)
    await promise
    clearTimeout(timer)
  }

  /** Ends the link of a machine that was removed. */
  async forget(agentId: string): Promise<void> {
    await this.#reach(agentId, {
      kind: 'refuse',
      code: 'unknown_agent',
      message: 'This machine was removed.',
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    this.runs[Symbol.dispose]()
    this.#liveMetrics[Symbol.dispose]()
    this.rows[Symbol.dispose]()
    await this.#checks[Symbol.asyncDispose]()
    await this.#tasks[Symbol.asyncDispose]()
    await this.#linkState[Symbol.asyncDispose]()
    await this.links[Symbol.asyncDispose]()
    await this.#resources.disposeAsync()
  }

  async #reach(agentId: string, request: LinkRequest): Promise<boolean> {
    // Of the kinds that are answered with whether there is a link.
    return ((await this.#ask(agentId, request)) ?? false) as boolean
  }

  /** Undefined = no process has a link to this machine. */
  async #ask(agentId: string, request: LinkRequest): Promise<unknown> {
    if (this.links.isConnected(agentId)) return this.#handle(agentId, request)
    try {
      // Answered by #answerFor of the process that holds the link.
      return await this.#ctx.bus.request(subjectOf(agentId), request, { timeoutMs: REACH_TIMEOUT_MS })
    } catch (error) {
      if (error instanceof NoResponderError) return undefined
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
      case 'chore':
        return this.#sendChore(agentId, request)
      case 'watch':
        return this.#liveMetrics.next(agentId, request.after)
    }
  }

  #sendChore(agentId: string, chore: Chore): boolean {
    const command = signChore(this.commandKey, this.#ctx.now(), { agentId, ...chore })
    return this.links.send(agentId, { type: 'command', command })
  }

  #linksFor<Definition>(name: 'set-checks' | 'set-tasks'): SyncLinks<Definition> {
    return {
      isConnected: (agentId) => this.links.isConnected(agentId),
      connectedIds: () => this.links.connectedIds(),
      send: (agentId, input) => this.#sendChore(agentId, { name, input, author: 'server' }),
    }
  }

  async #welcomeBack(machines: LinkedMachine[]): Promise<void> {
    await failLostRuns(this.#ctx, machines)
    for (const { agentId, checks, tasks } of machines) {
      await this.#checks.meet(agentId, checks)
      await this.#tasks.meet(agentId, tasks)
    }
    const agentIds = machines.map(({ agentId }) => agentId)
    // Not left to the sweep: what is over now calls off what waited for the machine because of it.
    await tendAlerts(this.#ctx, agentIds)
    await this.#deliverHere(agentIds, 'sent before too')
  }

  async #deliverHere(agentIds: string[], again: Parameters<typeof deliverRuns>[3]): Promise<void> {
    const delivery = {
      commandKey: this.commandKey,
      send: (agentId: string, frame: Parameters<AgentLinks['send']>[1]) => this.links.send(agentId, frame),
    }
    await deliverRuns(this.#ctx, delivery, agentIds, again)
  }

  async #store(reports: QueuedReport[]): Promise<void> {
    const runReports: ReportedRun[] = []
    const facts = new Map<string, Extract<QueuedReport['report'], { kind: 'facts' }>[]>()
    const results: ReportedResults[] = []
    const metrics: ReportedMetrics[] = []
    const dropped: ReportedDrop[] = []
    const ofTasks: ReportedTask[] = []
    for (const { agentId, report } of reports) {
      switch (report.kind) {
        case 'facts':
          facts.set(agentId, [...(facts.get(agentId) ?? []), report])
          break
        case 'checks':
          results.push({ agentId, results: report.results })
          break
        case 'metrics':
          metrics.push({ agentId, sample: report.sample })
          break
        case 'checks-missing':
          this.#checks.tell(agentId, report.ids)
          break
        case 'checks-dropped':
          dropped.push({ agentId, report })
          break
        case 'tasks-missing':
          this.#tasks.tell(agentId, report.ids)
          break
        case 'tasks-known':
        case 'task-started':
        case 'task-result':
        case 'task-missed':
          ofTasks.push({ agentId, report })
          break
        default:
          runReports.push({ agentId, report })
      }
    }
    const runs = await this.#ctx.transaction(async (tx, emit) => {
      for (const [agentId, list] of facts) await storeFacts(tx, { agentId, at: this.#ctx.now() }, list)
      const ids = [...facts.keys()]
      if (ids.length > 0) await redefineVariables(tx, emit, { agentIds: ids })
      if (ids.length > 0) emit({ type: 'agent.changed', ids, agent_ids: ids })
      if (results.length > 0) await storeResults(tx, emit, this.#ctx, results)
      await storeDropped(tx, emit, dropped)
      if (metrics.length > 0) await storeMetrics(tx, this.#ctx, metrics)
      if (ofTasks.length > 0) await storeTaskReports({ ctx: this.#ctx, tx, emit }, ofTasks)
      if (runReports.length === 0) return []
      const changed = await storeRunReports(tx, runReports, this.#ctx.now())
      await saveOutputAsNotes(tx, emit, changed)
      return changed
    })
    await settleActions(this.#ctx, runs)
    emitChanged(this.#ctx, runs)
  }

  async #answerFor(agentId: string): Promise<void> {
    if (this.#ctx.config.natsUrl === undefined || this.#answers.has(agentId)) return
    // `message` comes from #reach of a process of the same version.
    const handler = (message: unknown) => this.#handle(agentId, message as LinkRequest)
    const stop = this.#ctx.bus.answer(subjectOf(agentId), handler)
    this.#answers.set(agentId, async () => (await stop)())
    await stop
  }

  async #stopAnswering(agentId: string): Promise<void> {
    const stop = this.#answers.get(agentId)
    this.#answers.delete(agentId)
    await stop?.()
  }

  #expire(): void {
    expireRuns(this.#ctx).catch((error: unknown) => this.#ctx.log.error({ err: error }, 'runs not expired'))
  }
}

function subjectOf(agentId: string): string {
  return `agent.${agentId}`
}
