import type { Log } from '../log/log.ts'
import type { Os } from '../os/os.ts'
import type { KeyValueStore } from '../state/state.ts'
import type { Outbox } from '../state/outbox.ts'
import type { PowerPlans } from './power-plans.ts'

/** The key under which the plan is stored. */
export const POWER_PLAN = 'power_plan'

export interface PowerOptions {
  keyValues: KeyValueStore
  outbox: Outbox
  os: Os
  /** Command line that starts this agent, which shows dialogs on Windows. */
  program: readonly string[]
  log: Log
  now: () => number
  /** Changes each time the machine boots. */
  bootMark: () => string
}

/** Planned restarts. Loaded on first use to keep idle agents small. */
export class Power implements AsyncDisposable {
  #options: PowerOptions
  #plans: Promise<PowerPlans> | undefined

  constructor(options: PowerOptions) {
    this.#options = options
  }

  plans(): Promise<PowerPlans> {
    return (this.#plans ??= this.#load())
  }

  /** Continues the plan of an earlier process of this agent, if any. */
  async resume(): Promise<void> {
    if (this.#isPlanned) await this.plans()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#plans)?.[Symbol.asyncDispose]()
  }

  get #isPlanned(): boolean {
    return this.#options.keyValues.find(POWER_PLAN) !== undefined
  }

  async #load(): Promise<PowerPlans> {
    const { PowerPlans: Plans } = await import('./power-plans.ts')
    const plans = new Plans(this.#options)
    if (this.#isPlanned) await plans.resume()
    return plans
  }
}
