import type { Context } from '../../context.ts'
import { applyPolicies } from './apply-policies.ts'
import { applySiteTemplates } from './site-templates.ts'
import { findReached } from './find-reached.ts'
import { loadPolicySet, type PolicySet } from './policy-set.ts'
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
  #policies = new Set<number>()
  #scripts = new Set<number>()
  #allWait = true
  /** Whether there is a policy, or something left of one; when there is none, only a changed policy makes it so. */
  #isNeeded = true
  /** The policies of the last sweep: whom a changed one reached then is looked at, and whom it reaches now. */
  #applied: PolicySet | undefined
  #stopped = false
  #failed = false

  constructor(ctx: Context) {
    this.#ctx = ctx
    ctx.onEvent(({ type, ids, passing }) => {
      if (type === 'policy.changed') {
        // Without ids it may be any of them.
        if (ids.length === 0) this.#allWait = true
        for (const id of ids) this.#policies.add(Number(id))
      }
      if (type === 'script.changed') for (const id of ids) this.#scripts.add(Number(id))
      if (passing !== true && (type === 'agent.changed' || type === 'agent.added')) {
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
    const parts = [this.#waiting, this.#clients, this.#policies, this.#scripts]
    if (this.#stopped || (!this.#allWait && parts.every(({ size }) => size === 0))) return
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
    const before = this.#applied
    const mayBeAny = this.#allWait
    const all = mayBeAny || before === undefined
    const waiting = this.#waiting
    const clients = this.#clients
    const changed = { policies: this.#policies, scripts: this.#scripts }
    this.#allWait = false
    this.#waiting = new Set()
    this.#clients = new Set()
    this.#policies = new Set()
    this.#scripts = new Set()
    try {
      if (mayBeAny || changed.policies.size > 0) this.#isNeeded = true
      this.#isNeeded &&= await isNeeded(db)
      if (this.#isNeeded) {
        const set = await loadPolicySet(db)
        if (before !== undefined && !all) {
          for (const id of await findClientAgents(db, [...clients])) waiting.add(id)
          for (const id of await findReached(db, [before, set], changed)) waiting.add(id)
        }
        await applyPolicies(this.#ctx, all ? undefined : [...waiting])
        if (all || clients.size > 0 || changed.policies.size > 0) await applySiteTemplates(this.#ctx)
        this.#applied = set
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
