import type { Context } from '../context.ts'
import type { LinkedMachine } from './link-state.ts'

interface Owner {
  /** Notes what follows for features from their being back. */
  onReturn: (machines: LinkedMachine[]) => Promise<void>
  onCaughtUp: (agentIds: string[]) => Promise<void>
  deliver: (agentIds: string[], again: 'waiting only' | 'sent before too') => Promise<void>
}

/**
 * Machines whose links have just come up. Until the server has noted that they are back, and stored what they had to
 * report, nobody knows whether what was wrong still is: scripts that were to run because of it wait for that, and are
 * called off if it is over.
 */
export class ReturningMachines {
  #ctx: Context
  #owner: Owner
  #open = new Map<string, Set<'welcome' | 'reports'>>()
  #sent = new Map<string, Set<number>>()

  constructor(ctx: Context, owner: Owner) {
    this.#ctx = ctx
    this.#owner = owner
  }

  /** Its link is up; reports up to the number `lastReport` are still to come, if it is not 0. */
  begin(agentId: string, lastReport: number): void {
    this.#open.set(agentId, new Set(lastReport > 0 ? ['welcome', 'reports'] : ['welcome']))
    this.#sent.set(agentId, new Set())
  }

  forget(agentId: string): void {
    this.#open.delete(agentId)
    this.#sent.delete(agentId)
  }

  /** The runs sent over its new link so far, until it is welcomed: the welcome sends again what an old link lost. */
  sentOnNewLink(agentId: string): Set<number> | undefined {
    return this.#sent.get(agentId)
  }

  has(agentId: string): boolean {
    return this.#open.has(agentId)
  }

  /** They are noted as back. */
  async welcome(machines: LinkedMachine[]): Promise<void> {
    await this.#owner.onReturn(machines)
    const agentIds = machines.map(({ agentId }) => agentId)
    for (const agentId of agentIds) this.#end(agentId, 'welcome')
    const sent = agentIds.map((agentId) => this.#sent.get(agentId))
    await this.#owner.deliver(agentIds, 'sent before too')
    // Another link of the machine may have come up meanwhile.
    for (const [index, agentId] of agentIds.entries()) {
      if (this.#sent.get(agentId) === sent[index]) this.#sent.delete(agentId)
    }
  }

  /** What it had to report is stored. */
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
