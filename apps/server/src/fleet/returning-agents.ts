import type { Context } from '../context.ts'
import type { LinkedMachine } from './link-state.ts'

interface Owner {
  /** Notes what follows for features from their being back. */
  onReturn: (machines: LinkedMachine[]) => Promise<void>
  onCaughtUp: (agentIds: string[]) => Promise<void>
  deliver: (agentIds: string[], again: 'waiting only' | 'sent before too') => Promise<void>
}

/**
 * Agents that have just reconnected. Until the server has recorded that and stored their backlog, it is unknown whether
 * a problem still exists: alert scripts wait for that, and are cancelled if the problem is over.
 */
export class ReturningAgents {
  #ctx: Context
  #owner: Owner
  #open = new Map<string, Set<'welcome' | 'reports'>>()
  #sent = new Map<string, Set<number>>()

  constructor(ctx: Context, owner: Owner) {
    this.#ctx = ctx
    this.#owner = owner
  }

  /** The link is up. Reports up to the number `lastReport` are still to come, unless it is 0. */
  begin(agentId: string, lastReport: number): void {
    this.#open.set(agentId, new Set(lastReport > 0 ? ['welcome', 'reports'] : ['welcome']))
    this.#sent.set(agentId, new Set())
  }

  drop(agentId: string): void {
    this.#open.delete(agentId)
    this.#sent.delete(agentId)
  }

  /** Runs sent over its new link until it is welcomed. The welcome then resends only what an old link lost. */
  sentOnNewLink(agentId: string): Set<number> | undefined {
    return this.#sent.get(agentId)
  }

  has(agentId: string): boolean {
    return this.#open.has(agentId)
  }

  /** Their reconnect is stored. */
  async welcome(machines: LinkedMachine[]): Promise<void> {
    await this.#owner.onReturn(machines)
    const agentIds = machines.map(({ agentId }) => agentId)
    for (const agentId of agentIds) this.#end(agentId, 'welcome')
    const caughtUp = agentIds.filter((agentId) => !this.has(agentId))
    if (caughtUp.length > 0) await this.#owner.onCaughtUp(caughtUp)
    const sent = agentIds.map((agentId) => this.#sent.get(agentId))
    await this.#owner.deliver(agentIds, 'sent before too')
    // Another link of the machine may have come up in the meantime.
    for (const [index, agentId] of agentIds.entries()) {
      if (this.#sent.get(agentId) === sent[index]) this.#sent.delete(agentId)
    }
  }

  /** Its backlog of reports is stored. */
  catchUp(agentId: string): void {
    this.#end(agentId, 'reports')
    if (this.has(agentId)) return
    this.#deliverLate([agentId]).catch((error: unknown) =>
      this.#ctx.log.error({ err: error, agent_id: agentId }, 'runs not delivered'),
    )
  }

  async #deliverLate(agentIds: string[]): Promise<void> {
    await this.#owner.onCaughtUp(agentIds)
    await this.#owner.deliver(agentIds, 'waiting only')
  }

  #end(agentId: string, what: 'welcome' | 'reports'): void {
    const open = this.#open.get(agentId)
    open?.delete(what)
    if (open?.size === 0) this.#open.delete(agentId)
  }
}
