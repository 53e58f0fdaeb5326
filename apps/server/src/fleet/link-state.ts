import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import type { Hardware } from '@muster/contract/agent/hardware'
import type { Event } from '@muster/contract/events'
import { isComparable } from '@muster/rules/agents/hardware'
import type { Db } from '../platform/database/database.ts'
import type { AnswerFrame } from '../platform/agent-link/agent-socket.ts'

/** An agent whose link came up. */
export interface LinkedMachine {
  agentId: string
  /** When its link came up. */
  at: string
  /** Runs that it will still report. */
  active: readonly number[]
  /** The version of its checks that it has, and the one that it should have. */
  checks: { has: number; needs: number }
  tasks: { has: number; needs: number }
  /** Running remote sessions. */
  sessions: readonly string[]
}

interface Up {
  kind: 'up'
  at: string
  version: string
  source: string
  clockSkewSeconds: number
  active: readonly number[]
  sessions: readonly string[]
  checksVersion: number
  tasksVersion: number
  enforcesRules: boolean
  canUpdate: boolean
  runsAsUser: boolean
  pushesFiles: boolean
  /** Undefined = it shows none that can be compared. */
  hardware: Hardware | undefined
}

interface Down {
  kind: 'down'
  at: string
}

interface Options {
  /** New links are stored. */
  onUp: (machines: LinkedMachine[]) => Promise<void>
  /** The definitions of these agents depend on what their agents can do. In the transaction that stores their links. */
  abilitiesChanged: (tx: Db, emit: (event: Event) => void, agentIds: string[]) => Promise<void>
}

/** About 30 ms, in which everything else waits. */
const MAX_BATCH = 100
const RETRY_MS = 1000

/**
 * Writes link changes to the agents' rows. Changes that arrive during one transaction are stored together by the next,
 * only the last one per agent.
 */
export class LinkState implements AsyncDisposable {
  #ctx: Context
  #options: Options
  #waiting = new Map<string, Up | Down>()
  #running: Promise<void> | undefined
  #stopped = false

  constructor(ctx: Context, options: Options) {
    this.#ctx = ctx
    this.#options = options
  }

  up(agentId: string, answer: AnswerFrame, source: string): void {
    const now = this.#ctx.now()
    const clockSkewSeconds = Math.round((Date.parse(answer.agent_time) - now.getTime()) / 1000)
    this.#add(agentId, {
      kind: 'up',
      at: now.toISOString(),
      version: answer.agent_version,
      source,
      clockSkewSeconds,
      active: answer.active,
      sessions: answer.sessions ?? [],
      checksVersion: answer.checks_version ?? 0,
      tasksVersion: answer.tasks_version ?? 0,
      enforcesRules: answer.remote_rules !== undefined,
      canUpdate: answer.can_update === true,
      runsAsUser: answer.runs_as_user === true,
      pushesFiles: answer.pushes_files === true,
      hardware: answer.hardware && isComparable(answer.hardware) ? answer.hardware : undefined,
    })
  }

  down(agentId: string): void {
    this.#add(agentId, { kind: 'down', at: this.#ctx.now().toISOString() })
  }

  /** Links that end from here on end with this process: other processes mark them together. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  #add(agentId: string, change: Up | Down): void {
    if (this.#stopped) return
    this.#waiting.set(agentId, change)
    this.#running ??= this.#run()
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0) {
      await new Promise(setImmediate)
      const batch = [...this.#waiting].slice(0, MAX_BATCH)
      for (const [agentId] of batch) this.#waiting.delete(agentId)
      try {
        await this.#store(batch)
      } catch (error) {
        this.#ctx.log.error({ err: error }, 'link state not stored')
        if (this.#stopped) break
        // A newer change replaces the one that could not be stored.
        for (const [agentId, change] of batch) {
          if (!this.#waiting.has(agentId)) this.#waiting.set(agentId, change)
        }
        await sleep(RETRY_MS)
      }
    }
    this.#running = undefined
  }

  async #store(batch: [string, Up | Down][]): Promise<void> {
    const up = await this.#ctx.transaction(async (tx, emit) => {
      const linked: LinkedMachine[] = []
      const changed = await findChanged(tx, batch)
      for (const [agentId, change] of batch) {
        const row = await tx
          .updateTable('agents')
          .set(change.kind === 'up' ? this.#upValues(change) : downValues(change))
          .where('agent_id', '=', agentId)
          // An agent that has reconnected to another process keeps that link. If a link ended before it was stored, the
          // agent still counts as seen.
          .$if(change.kind === 'down', (query) =>
            query.where((where) =>
              where.or([where('link_process', '=', this.#ctx.processId), where('link_process', 'is', null)]),
            ),
          )
          .returning(['checks_version', 'tasks_version'])
          .executeTakeFirst()
        if (change.kind === 'down' || row === undefined) continue
        const checks = { has: change.checksVersion, needs: row.checks_version }
        const tasks = { has: change.tasksVersion, needs: row.tasks_version }
        linked.push({
          agentId,
          at: change.at,
          active: change.active,
          sessions: change.sessions,
          checks,
          tasks,
        })
      }
      if (changed.length > 0) await this.#options.abilitiesChanged(tx, emit, changed)
      const ids = batch.map(([agentId]) => agentId)
      emit({ type: 'agent.changed', ids, agent_ids: ids })
      return linked
    })
    if (up.length > 0) await this.#options.onUp(up)
  }

  #upValues(change: Up) {
    return {
      connected: 1 as const,
      link_process: this.#ctx.processId,
      link_lost_at: null,
      last_seen: change.at,
      version: change.version,
      public_ip: change.source,
      clock_skew_seconds: change.clockSkewSeconds,
      tasks_known: change.tasksVersion,
      enforces_rules: change.enforcesRules ? (1 as const) : (0 as const),
      can_update: change.canUpdate ? (1 as const) : (0 as const),
      runs_as_user: flagOf(change),
      pushes_files: change.pushesFiles ? (1 as const) : (0 as const),
      ...(change.hardware && { hardware: JSON.stringify(change.hardware) }),
    }
  }
}

const flagOf = ({ runsAsUser }: Up) => (runsAsUser ? (1 as const) : (0 as const))

/** Agents that can now run scripts as the signed-in user, or no longer, or that have connected for the first time. */
async function findChanged(tx: Db, batch: [string, Up | Down][]): Promise<string[]> {
  const flags = new Map(batch.flatMap(([id, change]) => (change.kind === 'up' ? [[id, flagOf(change)]] : [])))
  if (flags.size === 0) return []
  const rows = await tx
    .selectFrom('agents')
    .select(['agent_id', 'runs_as_user'])
    .where('agent_id', 'in', [...flags.keys()])
    .execute()
  return rows
    .filter(({ agent_id, runs_as_user }) => runs_as_user !== flags.get(agent_id))
    .map(({ agent_id }) => agent_id)
}

function downValues(change: Down) {
  return { connected: 0 as const, link_process: null, link_lost_at: change.at, last_seen: change.at }
}
