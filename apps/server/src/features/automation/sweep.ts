import type { Context } from '../../context.ts'
import { applyPolicies } from './apply-policies.ts'
import { applySiteTemplates } from './site-templates.ts'
import { findClientAgents, isNeeded } from './sweep-queries.ts'

const TICK_MS = 250

/**
 * Brings machines in line with their policies as things change: a policy, a machine that came, moved or says something
 * else of itself, a name of a client. What happened while no server ran is made up for at the start.
 */
export class PolicySweep implements AsyncDisposable {
  #ctx: Context
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #waiting = new Set<string>()
  #clients = new Set<number>()
  #allWait = true
  #stopped = false
  #failed = false

  constructor(ctx: Context) {
    this.#ctx = ctx
    ctx.onEvent(({ type, ids }) => {
      if (type === 'policy.changed') this.#allWait = true
      if (type === 'agent.changed' || type === 'agent.added') {
        for (const id of ids) this.#waiting.add(String(id))
      }
      if (type === 'client.changed') for (const id of ids) this.#clients.add(Number(id))
    })
    ctx.bus.onReconnect(() => {
      this.#allWait = true
    })
  }

  start(): void {
    this.#timer = setInterval(() => {
      if (this.#running === undefined) void this.run()
    }, TICK_MS)
  }

  /** Brings in line what waits; ends when it is done. */
  async run(): Promise<void> {
    while (this.#running !== undefined) await this.#running
    if (this.#stopped || (!this.#allWait && this.#waiting.size === 0 && this.#clients.size === 0)) return
    this.#running = this.#sweep().finally(() => {
      this.#running = undefined
    })
    await this.#running
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    clearInterval(this.#timer)
    await this.#running
  }

  async #sweep(): Promise<void> {
    const { db, log } = this.#ctx
    const all = this.#allWait
    const waiting = this.#waiting
    const clients = this.#clients
    this.#allWait = false
    this.#waiting = new Set()
    this.#clients = new Set()
    try {
      if (await isNeeded(db)) {
        for (const id of await findClientAgents(db, [...clients])) waiting.add(id)
        await applyPolicies(this.#ctx, all ? undefined : [...waiting])
        if (all || clients.size > 0) await applySiteTemplates(this.#ctx)
      }
      this.#failed = false
    } catch (error) {
      // Once per outage, not four times a second.
      if (!this.#failed) log.error({ err: error }, 'policies not applied')
      this.#failed = true
      this.#allWait = true
    }
  }
}
