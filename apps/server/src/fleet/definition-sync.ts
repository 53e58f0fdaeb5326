import type { Event } from '@muster/contract/events'
import type { Context } from '../context.ts'
import type { Db } from '../platform/database/database.ts'

export interface WantedDefinition {
  id: number
  agent_id: string
  revision: string
}

/** One kind of definitions that are synchronized to agents. */
export interface DefinitionKind<Definition> {
  noun: 'checks' | 'tasks'
  /** The column of the agent's version. */
  version: 'checks_version' | 'tasks_version'
  event: 'check.redefined' | 'task.redefined'
  /** Maximum definitions per command. A large one is sent alone. */
  mostAtOnce: number
  findWanted(db: Db, agentIds: readonly string[]): Promise<WantedDefinition[]>
  define(ctx: Context, ids: number[]): Promise<{ agent_id: string; definition: Definition }[]>
}

export interface Order<Definition> {
  version: number
  wanted: { id: number; revision: string }[]
  put: Definition[]
}

export interface SyncLinks<Definition> {
  isConnected(agentId: string): boolean
  connectedIds(): string[]
  /** Returns false if this process has no link to the agent. */
  send(agentId: string, order: Order<Definition>): boolean
}

/** Every agent gets a signed command: this many take about 10 ms. */
const MACHINES_AT_ONCE = 20
/** Maximum characters of definitions per command. A larger definition is sent alone. */
const MAX_PUT = 500_000
/** The maximum of the column, minus room to grow. */
const MAX_VERSION = 2_000_000_000

/**
 * Sends definitions of one kind to agents linked to this process. Changes are queued by agent, so many changes in a row
 * become one command, and a script that thousands of machines run is sent in slices. A lost message is harmless: an
 * agent reports its version at its next sign-in.
 */
export class DefinitionSync<Definition> implements AsyncDisposable {
  #ctx: Context
  #kind: DefinitionKind<Definition>
  #links: SyncLinks<Definition>
  /** Agent -> items whose definitions it needs. */
  #waiting = new Map<string, Set<number>>()
  #running: Promise<void> | undefined
  #stopped = false

  constructor(ctx: Context, kind: DefinitionKind<Definition>, links: SyncLinks<Definition>) {
    this.#ctx = ctx
    this.#kind = kind
    this.#links = links
    ctx.onEvent(({ type, ids, agent_ids = [] }) => {
      if (type !== kind.event) return
      // Written in pairs by emitDefinitionsChanged, or with agents only.
      for (const [index, agentId] of agent_ids.entries())
        this.enqueue(agentId, ids.slice(index, index + 1).map(Number))
    })
    ctx.bus.onReconnect(() => {
      for (const agentId of links.connectedIds()) this.enqueue(agentId, [])
    })
  }

  /** Sends the current version with these definitions, if the agent is linked to this process. */
  enqueue(agentId: string, ids: readonly number[]): void {
    if (this.#stopped || !this.#links.isConnected(agentId)) return
    const put = this.#waiting.get(agentId) ?? new Set()
    for (const id of ids) put.add(id)
    this.#waiting.set(agentId, put)
    this.#running ??= this.#run()
  }

  /**
   * Synchronizes an agent that signed in with this version. If the agent's version is newer (the database was restored
   * from a backup), it would ignore ours, so ours moves past it.
   */
  async meet(agentId: string, { has, needs }: { has: number; needs: number }): Promise<void> {
    if (has === needs) return
    const { version } = this.#kind
    if (has > needs) {
      await this.#ctx.db
        .updateTable('agents')
        .set(version, Math.min(has, MAX_VERSION) + 1)
        .where('agent_id', '=', agentId)
        .where(version, '<=', has)
        .execute()
    }
    this.enqueue(agentId, [])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0 && !this.#stopped) {
      // SQLite is synchronous: other work runs in between.
      await new Promise(setImmediate)
      const batch = new Map([...this.#waiting].slice(0, MACHINES_AT_ONCE))
      for (const agentId of batch.keys()) this.#waiting.delete(agentId)
      try {
        await this.#sendChanged(batch)
      } catch (error) {
        this.#ctx.log.error({ err: error, noun: this.#kind.noun }, 'definitions not sent to agents')
      }
    }
    this.#running = undefined
  }

  async #sendChanged(batch: Map<string, Set<number>>): Promise<void> {
    const { db } = this.#ctx
    const kind = this.#kind
    const agentIds = [...batch.keys()]
    // Versions are read first: a change in between is sent with an old version, and again with the new one.
    const machines = await db
      .selectFrom('agents')
      .select(['agent_id', 'checks_version', 'tasks_version'])
      .where('agent_id', 'in', agentIds)
      .execute()
    const all = await kind.findWanted(db, agentIds)
    const wanted = Map.groupBy(all, ({ agent_id }) => agent_id)
    const needed = all.filter(({ id, agent_id }) => batch.get(agent_id)?.has(id)).map(({ id }) => id)
    const put = Map.groupBy(await kind.define(this.#ctx, needed), ({ agent_id }) => agent_id)
    for (const machine of machines) {
      const { agent_id } = machine
      const order = {
        version: machine[kind.version],
        wanted: (wanted.get(agent_id) ?? []).map(({ id, revision }) => ({ id, revision })),
      }
      const definitions = (put.get(agent_id) ?? []).map(({ definition }) => definition)
      for (const part of partsOf(definitions, kind.mostAtOnce))
        this.#links.send(agent_id, { ...order, put: part })
    }
  }
}

/** Notifies the processes that hold the links of these agents that definitions changed or were deleted. */
export function emitDefinitionsChanged(
  emit: (event: Event) => void,
  type: DefinitionKind<unknown>['event'],
  changed: { stale: readonly { id: number; agent_id: string }[]; agentIds: readonly string[] },
): void {
  const { stale } = changed
  const listed = new Set(stale.map(({ agent_id }) => agent_id))
  const others = changed.agentIds.filter((id) => !listed.has(id))
  for (let from = 0; from < stale.length; from += IDS_IN_EVENT) {
    const part = stale.slice(from, from + IDS_IN_EVENT)
    emit({ type, ids: part.map(({ id }) => id), agent_ids: part.map(({ agent_id }) => agent_id) })
  }
  for (let from = 0; from < others.length; from += IDS_IN_EVENT)
    emit({ type, ids: [], agent_ids: others.slice(from, from + IDS_IN_EVENT) })
}

const IDS_IN_EVENT = 500

/** At least one part, each small enough for a command. */
function partsOf<Definition>(definitions: readonly Definition[], mostAtOnce: number): Definition[][] {
  const parts: Definition[][] = [[]]
  let size = 0
  for (const definition of definitions) {
    const { length } = JSON.stringify(definition)
    const last = parts.at(-1)
    const isFull = last?.length === mostAtOnce || size + length > MAX_PUT
    if (last === undefined || (last.length > 0 && isFull)) {
      parts.push([definition])
      size = length
    } else {
      last.push(definition)
      size += length
    }
  }
  return parts
}
