import type { Event } from '@muster/contract/events'
import type { Context } from '../context.ts'
import type { Db } from '../platform/database/database.ts'

export interface WantedDefinition {
  id: number
  agent_id: string
  revision: string
}

/** What machines are told of one kind of things that they do by themselves. */
export interface ToldKind<Definition> {
  noun: 'checks' | 'tasks'
  /** The column of the machine's version. */
  version: 'checks_version' | 'tasks_version'
  event: 'check.redefined' | 'task.redefined'
  /** At most so many in one command; one that is large goes alone. */
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
  /** False = this process has no link to that machine. */
  send(agentId: string, order: Order<Definition>): boolean
}

/** Each is sent something signed: so many take some 10 ms. */
const MACHINES_AT_ONCE = 20
/** Characters of definitions in one command; a larger definition goes alone. */
const MAX_PUT = 500_000
/** Of the column, minus room to grow. */
const MAX_VERSION = 2_000_000_000

/**
 * Tells machines that are linked to this process what they are to do of one kind. What must be told waits by machine,
 * so that many changes in a row are one command, and a script that thousands of machines run goes out in slices.
 * Nothing is lost when a telling is: a machine says at its next sign-in which version it has.
 */
export class DefinitionSync<Definition> implements AsyncDisposable {
  #ctx: Context
  #kind: ToldKind<Definition>
  #links: SyncLinks<Definition>
  /** Machine -> things whose definitions it needs. */
  #waiting = new Map<string, Set<number>>()
  #running: Promise<void> | undefined
  #stopped = false

  constructor(ctx: Context, kind: ToldKind<Definition>, links: SyncLinks<Definition>) {
    this.#ctx = ctx
    this.#kind = kind
    this.#links = links
    ctx.onEvent(({ type, ids, agent_ids = [] }) => {
      if (type !== kind.event) return
      // Written in pairs by emitRedefined, or machines only.
      for (const [index, agentId] of agent_ids.entries())
        this.tell(agentId, ids.slice(index, index + 1).map(Number))
    })
    ctx.bus.onReconnect(() => {
      for (const agentId of links.connectedIds()) this.tell(agentId, [])
    })
  }

  /** Sends what is wanted of a machine, if it is linked here, with the definitions of these. */
  tell(agentId: string, ids: readonly number[]): void {
    if (this.#stopped || !this.#links.isConnected(agentId)) return
    const put = this.#waiting.get(agentId) ?? new Set()
    for (const id of ids) put.add(id)
    this.#waiting.set(agentId, put)
    this.#running ??= this.#run()
  }

  /**
   * A machine has come up with this version. One that has a later version than ours (the database was put back from a
   * copy) would ignore ours: ours goes beyond it.
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
    this.tell(agentId, [])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0 && !this.#stopped) {
      // SQLite answers without a pause: whatever else waits comes in between.
      await new Promise(setImmediate)
      const batch = new Map([...this.#waiting].slice(0, MACHINES_AT_ONCE))
      for (const agentId of batch.keys()) this.#waiting.delete(agentId)
      try {
        await this.#tellThese(batch)
      } catch (error) {
        this.#ctx.log.error({ err: error, noun: this.#kind.noun }, 'machines not told what they are to do')
      }
    }
    this.#running = undefined
  }

  async #tellThese(batch: Map<string, Set<number>>): Promise<void> {
    const { db } = this.#ctx
    const kind = this.#kind
    const agentIds = [...batch.keys()]
    // Versions are read first: what changes meanwhile is sent with too old a version, and again with the right one.
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

/** Tells whoever holds the links of machines that these things of theirs are defined anew, or that some are gone. */
export function emitRedefined(
  emit: (event: Event) => void,
  type: ToldKind<unknown>['event'],
  changed: { redefined: readonly { id: number; agent_id: string }[]; agentIds: readonly string[] },
): void {
  const { redefined } = changed
  const told = new Set(redefined.map(({ agent_id }) => agent_id))
  const others = changed.agentIds.filter((id) => !told.has(id))
  for (let from = 0; from < redefined.length; from += IDS_IN_EVENT) {
    const part = redefined.slice(from, from + IDS_IN_EVENT)
    emit({ type, ids: part.map(({ id }) => id), agent_ids: part.map(({ agent_id }) => agent_id) })
  }
  for (let from = 0; from < others.length; from += IDS_IN_EVENT)
    emit({ type, ids: [], agent_ids: others.slice(from, from + IDS_IN_EVENT) })
}

const IDS_IN_EVENT = 500

/** One part at least, each small enough for a command. */
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
