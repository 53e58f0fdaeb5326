import type { CommandInput } from '@muster/contract/agent/commands'
import { SERVER_CHECK_TYPES } from '@muster/contract/checks/server-checks'
import type { Context } from '../../context.ts'
import { type DefinedCheck, findDefinitions } from './definitions.ts'

type SetChecks = CommandInput<'set-checks'>

export interface SyncLinks {
  isConnected(agentId: string): boolean
  connectedIds(): string[]
  /** False = this process has no link to that machine. */
  sendChecks(agentId: string, input: SetChecks): boolean
}

const MACHINES_AT_ONCE = 200
/** Characters of definitions in one command; a larger definition goes alone. */
const MAX_PUT = 500_000
const MAX_PUT_CHECKS = 500

/**
 * Tells machines that are linked to this process what they are to measure. What must be told waits by machine, so that
 * many changes in a row are one command, and a script that thousands of machines run goes out in slices. Nothing is
 * lost when a telling is: a machine says at its next sign-in which version it has.
 */
export class CheckSync implements AsyncDisposable {
  #ctx: Context
  #links: SyncLinks
  /** Machine -> checks whose definitions it needs. */
  #waiting = new Map<string, Set<number>>()
  #running: Promise<void> | undefined
  #stopped = false

  constructor(ctx: Context, links: SyncLinks) {
    this.#ctx = ctx
    this.#links = links
    ctx.onEvent(({ type, ids, agent_ids = [] }) => {
      if (type !== 'check.redefined') return
      // Written in pairs by redefine-checks.ts, or machines only.
      for (const [index, agentId] of agent_ids.entries())
        this.tell(agentId, ids.slice(index, index + 1).map(Number))
    })
    ctx.bus.onReconnect(() => {
      for (const agentId of links.connectedIds()) this.tell(agentId, [])
    })
  }

  /** Sends what is wanted of a machine, if it is linked here, with the definitions of these checks. */
  tell(agentId: string, checkIds: number[]): void {
    if (this.#stopped || !this.#links.isConnected(agentId)) return
    const put = this.#waiting.get(agentId) ?? new Set()
    for (const id of checkIds) put.add(id)
    this.#waiting.set(agentId, put)
    this.#running ??= this.#run()
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
        this.#ctx.log.error({ err: error }, 'machines not told of their checks')
      }
    }
    this.#running = undefined
  }

  async #tellThese(batch: Map<string, Set<number>>): Promise<void> {
    const { db, secrets } = this.#ctx
    const agentIds = [...batch.keys()]
    // Versions are read first: what changes meanwhile is sent with too old a version, and again with the right one.
    const machines = await db
      .selectFrom('agents')
      .select(['agent_id', 'checks_version'])
      .where('agent_id', 'in', agentIds)
      .execute()
    const checks = await db
      .selectFrom('checks')
      .select(['id', 'agent_id', 'revision'])
      .where('agent_id', 'in', agentIds)
      .where('check_type', 'not in', SERVER_CHECK_TYPES)
      .where('overridden_by', 'is', null)
      .where((eb) => eb.or([eb('check_type', '!=', 'script'), eb('script_id', 'is not', null)]))
      .orderBy('id')
      .execute()
    const wanted = Map.groupBy(checks, ({ agent_id }) => agent_id)
    const needed = checks.filter(({ id, agent_id }) => batch.get(agent_id)?.has(id)).map(({ id }) => id)
    const put = Map.groupBy(await findDefinitions(db, needed, secrets), ({ agent_id }) => agent_id)
    for (const { agent_id, checks_version } of machines) {
      const order = {
        version: checks_version,
        wanted: (wanted.get(agent_id) ?? []).map(({ id, revision }) => ({ id, revision })),
      }
      for (const part of partsOf(put.get(agent_id) ?? [])) {
        this.#links.sendChecks(agent_id, { ...order, put: part.map(({ definition }) => definition) })
      }
    }
  }
}

/** One part at least, each small enough for a command. */
function partsOf(checks: DefinedCheck[]): DefinedCheck[][] {
  const parts: DefinedCheck[][] = [[]]
  let size = 0
  for (const check of checks) {
    const { length } = JSON.stringify(check.definition)
    const last = parts.at(-1)
    if (
      last !== undefined &&
      last.length > 0 &&
      (size + length > MAX_PUT || last.length === MAX_PUT_CHECKS)
    ) {
      parts.push([check])
      size = length
    } else {
      last?.push(check)
      size += length
    }
  }
  return parts
}
