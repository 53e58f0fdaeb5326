import type { CommandInput } from '@muster/contract/agent/commands'
import type { Context } from '../../context.ts'
import { type DefinedTask, findTaskDefinitions } from './definitions.ts'

type SetTasks = CommandInput<'set-tasks'>

export interface TaskLinks {
  isConnected(agentId: string): boolean
  connectedIds(): string[]
  /** False = this process has no link to that machine. */
  sendTasks(agentId: string, input: SetTasks): boolean
}

const MACHINES_AT_ONCE = 100
/** Characters of definitions in one command; a larger definition goes alone. */
const MAX_PUT = 500_000
/** Of the column, minus room to grow. */
const MAX_VERSION = 2_000_000_000

/**
 * Tells machines that are linked to this process what they are to run and when, as CheckSync tells of checks: what must
 * be told waits by machine, and a telling that is lost is made up for at the machine's next sign-in.
 */
export class TaskSync implements AsyncDisposable {
  #ctx: Context
  #links: TaskLinks
  /** Machine -> tasks whose definitions it needs. */
  #waiting = new Map<string, Set<number>>()
  #running: Promise<void> | undefined
  #stopped = false

  constructor(ctx: Context, links: TaskLinks) {
    this.#ctx = ctx
    this.#links = links
    ctx.onEvent(({ type, ids, agent_ids: [agentId] = [] }) => {
      // Written by redefine-tasks.ts, one machine each.
      if (type === 'task.redefined' && agentId !== undefined) this.tell(agentId, ids.map(Number))
    })
    ctx.bus.onReconnect(() => {
      for (const agentId of links.connectedIds()) this.tell(agentId, [])
    })
  }

  /** Sends what is wanted of a machine, if it is linked here, with the definitions of these tasks. */
  tell(agentId: string, taskIds: readonly number[]): void {
    if (this.#stopped || !this.#links.isConnected(agentId)) return
    const put = this.#waiting.get(agentId) ?? new Set()
    for (const id of taskIds) put.add(id)
    this.#waiting.set(agentId, put)
    this.#running ??= this.#run()
  }

  /**
   * A machine has come up with this version. One that has a later version than ours (the database was put back from a
   * copy) would ignore ours: ours goes beyond it.
   */
  async meet(agentId: string, { has, needs }: { has: number; needs: number }): Promise<void> {
    if (has === needs) return
    if (has > needs) {
      await this.#ctx.db
        .updateTable('agents')
        .set({ tasks_version: Math.min(has, MAX_VERSION) + 1 })
        .where('agent_id', '=', agentId)
        .where('tasks_version', '<=', has)
        .execute()
    }
    this.tell(agentId, [])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  async #run(): Promise<void> {
    await new Promise(setImmediate)
    while (this.#waiting.size > 0 && !this.#stopped) {
      const batch = new Map([...this.#waiting].slice(0, MACHINES_AT_ONCE))
      for (const agentId of batch.keys()) this.#waiting.delete(agentId)
      try {
        await this.#tellThese(batch)
      } catch (error) {
        this.#ctx.log.error({ err: error }, 'machines not told of their tasks')
      }
    }
    this.#running = undefined
  }

  async #tellThese(batch: Map<string, Set<number>>): Promise<void> {
    const { db } = this.#ctx
    const agentIds = [...batch.keys()]
    // Versions are read first: what changes meanwhile is sent with too old a version, and again with the right one.
    const machines = await db
      .selectFrom('agents')
      .select(['agent_id', 'tasks_version'])
      .where('agent_id', 'in', agentIds)
      .execute()
    const tasks = await db
      .selectFrom('tasks')
      .select(['id', 'agent_id', 'revision'])
      .where('agent_id', 'in', agentIds)
      .where('revision', '!=', '')
      .orderBy('id')
      .execute()
    const wanted = Map.groupBy(tasks, ({ agent_id }) => agent_id)
    const needed = tasks.filter(({ id, agent_id }) => batch.get(agent_id)?.has(id)).map(({ id }) => id)
    const put = Map.groupBy(await findTaskDefinitions(db, needed), ({ agent_id }) => agent_id)
    for (const { agent_id, tasks_version } of machines) {
      const order = {
        version: tasks_version,
        wanted: (wanted.get(agent_id) ?? []).map(({ id, revision }) => ({ id, revision })),
      }
      for (const part of partsOf(put.get(agent_id) ?? [])) {
        this.#links.sendTasks(agent_id, { ...order, put: part.map(({ definition }) => definition) })
      }
    }
  }
}

/** One part at least, each small enough for a command. */
function partsOf(tasks: DefinedTask[]): DefinedTask[][] {
  const parts: DefinedTask[][] = [[]]
  let size = 0
  for (const task of tasks) {
    const { length } = JSON.stringify(task.definition)
    const last = parts.at(-1)
    if (last !== undefined && (last.length === 0 || size + length <= MAX_PUT)) {
      last.push(task)
      size += length
    } else {
      parts.push([task])
      size = length
    }
  }
  return parts
}
