import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import type { AnswerFrame } from '../platform/agent-link/agent-socket.ts'

/** A machine whose link has come up. */
export interface LinkedMachine {
  agentId: string
  /** When its link came up. */
  at: string
  /** Runs of which it will still report. */
  active: readonly number[]
  /** The version of its checks that it has, and the one it should have. */
  checks: { has: number; needs: number }
  tasks: { has: number; needs: number }
  /** Sessions of remote tools that go on. */
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
}

interface Down {
  kind: 'down'
  at: string
}

/** Some 30 ms: everything else waits meanwhile. */
const MAX_BATCH = 100
const RETRY_MS = 1000

/**
 * Writes links that came up or went down to the agents' rows. Changes that arrive while one transaction runs go
 * into the next together, the last one of each machine only.
 */
export class LinkState implements AsyncDisposable {
  #ctx: Context
  #onUp: (machines: LinkedMachine[]) => Promise<void>
  #waiting = new Map<string, Up | Down>()
  #running: Promise<void> | undefined
  #stopped = false

  /** `onUp` runs after links that came up are stored. */
  constructor(ctx: Context, onUp: (machines: LinkedMachine[]) => Promise<void>) {
    this.#ctx = ctx
    this.#onUp = onUp
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
    })
  }

  down(agentId: string): void {
    this.#add(agentId, { kind: 'down', at: this.#ctx.now().toISOString() })
  }

  /** The links that end from now on end with this process: its beat writes them off together. */
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
        // What has changed again meanwhile counts more than what could not be stored.
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
      for (const [agentId, change] of batch) {
        const row = await tx
          .updateTable('agents')
          .set(change.kind === 'up' ? this.#upValues(change) : downValues(change))
          .where('agent_id', '=', agentId)
          // A machine that has meanwhile reconnected to another process keeps that link. None is on record where a
          // link went before it was stored: the machine was seen all the same.
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
      const ids = batch.map(([agentId]) => agentId)
      emit({ type: 'agent.changed', ids, agent_ids: ids })
      return linked
    })
    if (up.length > 0) await this.#onUp(up)
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
    }
  }
}

function downValues(change: Down) {
  return { connected: 0 as const, link_process: null, link_lost_at: change.at, last_seen: change.at }
}
