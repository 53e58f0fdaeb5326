import type { LinksOwner } from '../platform/agent-link/agent-links.ts'
import type { AnswerFrame } from '../platform/agent-link/agent-socket.ts'
import type { CheckDefinition } from '@muster/contract/agent/checks'
import type { Report, ServerFrame } from '@muster/contract/agent/link'
import type { MetricsSample } from '@muster/contract/agent/metrics'
import type { ProcessSample } from '@muster/contract/agent/processes'
import type { TaskDefinition } from '@muster/contract/agent/tasks'
import type { AgentRow } from '@muster/contract/api/agents'
import type { LiveMetrics } from '@muster/contract/api/metrics'
import type { LiveProcesses } from '@muster/contract/api/processes'
import type { Event } from '@muster/contract/events'
import type { Context } from '../context.ts'
import type { SigningKey } from '../platform/agent-link/keys.ts'
import type { Db } from '../platform/database/database.ts'
import type { Scope } from '../platform/http/caller.ts'
import type { DefinitionKind } from './definition-sync.ts'
import type { LinkedMachine } from './link-state.ts'
import type { ReportLimits } from './report-limits.ts'
import type { AgentCommand } from './sign-agent-command.ts'

/** The links of this process, as features use them. */
export interface FleetLinks {
  isConnected(agentId: string): boolean
  connectedIds(): string[]
  /** False = this process has no link to that machine. */
  send(agentId: string, request: AgentCommand): boolean
}

/**
 * What features do with machines and their links. The fleet imports no feature: modules.ts registers these handlers, and
 * says in which order features work where that matters.
 */
export interface FleetHandlers extends AsyncDisposable {
  rows: RowSource
  definitions: { checks: DefinitionKind<CheckDefinition>; tasks: DefinitionKind<TaskDefinition> }
  runs: {
    waitForEnd(id: number, timeoutMs: number, signal: AbortSignal): Promise<unknown>
    deliver(delivery: Delivery, agentIds: string[], again: 'waiting only' | 'sent before too'): Promise<void>
    expire(): Promise<void>
    /** Machines whose runs were queued some seconds ago and have not been sent. */
    findOverlooked(): Promise<string[]>
  }
  live: {
    metrics(send: SendWatch): LiveView<number, MetricsSample, LiveMetrics>
    processes(send: SendWatch): LiveView<string, ProcessSample, WatchedProcesses>
  }
  /** Why an agent that holds the key of a machine may not connect as it. */
  findRefusal: LinksOwner['findRefusal']
  onUp(agentId: string, answer: AnswerFrame): void
  onDown(agentId: string): void
  /** The abilities of these agents have changed, or are known for the first time. In the transaction that stores them. */
  abilitiesChanged(tx: Db, emit: (event: Event) => void, agentIds: string[]): Promise<void>
  /** Links have come up and are stored. `sendDefinitions` brings checks and tasks of the machines up to date. */
  onReturn(machines: LinkedMachine[], sendDefinitions: () => Promise<void>): Promise<void>
  /** The links are stored, and so are the reports that machines sent as their links came up, if any. */
  onCaughtUp(agentIds: string[]): Promise<void>
  /** Stores reports inside their transaction. Returns what to do after its commit. */
  storeReports(batch: ReportBatch): Promise<() => Promise<void>>
}

/** Changes, or why the machine cannot list its processes. */
export type WatchedProcesses = LiveProcesses | { problem: string }

export type Reported<Kind extends Report['kind']> = {
  agentId: string
  report: Extract<Report, { kind: Kind }>
}

/** Reports of any machines and kinds, stored together or not at all. */
export interface ReportBatch {
  tx: Db
  emit: (event: Event) => void
  limits: ReportLimits
  /** Those of these kinds, in the order in which they came. */
  of: <Kind extends Report['kind']>(...kinds: Kind[]) => Reported<Kind>[]
}

export interface Delivery {
  commandKey: SigningKey
  /** Sends to an agent whose link this process holds. Returns false without a link. */
  send(agentId: string, frame: ServerFrame): boolean
  /** The machine has just reconnected and has not reported its state yet. */
  isReturning(agentId: string): boolean
  /** Runs sent over a link that has just come up, until all waiting runs of its machine are sent. */
  sentOnNewLink(agentId: string): Set<number> | undefined
}

/** Asks a machine to report for so many seconds; false = this process has no link to it. */
export type SendWatch = (agentId: string, seconds: number) => boolean

/** Reports of machines linked to this process, while a user watches. */
export interface LiveView<After, News, Answer> extends Disposable {
  /** Waits for what is newer than `after`; undefined = the machine is not linked here. */
  next(agentId: string, after: After): Promise<Answer | undefined>
  take(agentId: string, news: News): void
  /** The link of a machine is lost. */
  drop(agentId: string): void
}

export interface RowFilter {
  client?: number | undefined
  site?: number | undefined
  monitoring_type?: AgentRow['monitoring_type'] | undefined
}

export interface FoundName {
  id: number
  agent_id: string
  hostname: string
  /** See worstRank. Known before the checks are read: 0 = overdue. */
  rank: number
}

export interface FoundRow {
  /** The id of the row in the database. */
  id: number
  row: AgentRow
}

/** Reads the rows of the machines table. */
export interface RowSource {
  find(ctx: Context, agentIds: string[]): Promise<FoundRow[]>
  /** Those after `afterId` in the order of ids, for reading all of them in slices. */
  findAfter(ctx: Context, range: { afterId: number; limit: number }): Promise<FoundRow[]>
  /** Names only, small enough to read for all machines at once. */
  findNames(
    db: Db,
    caller: { scope: Scope },
    filter: RowFilter,
    range: { afterId: number; limit: number },
  ): Promise<FoundName[]>
}
