import type { Context } from '../../context.ts'
import { type Applied, applyWindows } from './apply-windows.ts'

const TICK_MS = 1000
/** While a window is on: for machines that moved into or out of its targets. */
const LOOK_AGAIN_MS = 5000
/** Otherwise: for changes without an event. */
const IDLE_MS = 60_000

/**
 * Switches maintenance mode at the start and end of windows. It reads the clock every second, and the rows only when
 * needed.
 */
export class MaintenanceSweep implements AsyncDisposable {
  #ctx: Context
  #timer: NodeJS.Timeout
  #running: Promise<void> | undefined
  #dueMs = 0
  #lastMs = 0
  #state = '[]'
  #failed = false
  /** Its own events must not trigger another sweep. */
  #isEmitting = false

  private constructor(ctx: Context) {
    this.#ctx = ctx
    ctx.onEvent(({ type }) => {
      if (this.#isEmitting) return
      if (type === 'maintenance.changed' || type === 'agent.added' || type === 'client.changed')
        this.#dueMs = 0
    })
    this.#timer = setInterval(() => this.#tick(), TICK_MS)
  }

  /** Applies what started or ended while the server was down before anything else happens. */
  static async open(ctx: Context): Promise<MaintenanceSweep> {
    const sweep = new MaintenanceSweep(ctx)
    await sweep.run()
    return sweep
  }

  /** Brings the machines in line with the windows now. */
  async run(): Promise<void> {
    // A sweep that has begun may have read an earlier clock.
    await this.#running
    this.#running ??= this.#sweep().finally(() => {
      this.#running = undefined
    })
    await this.#running
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
  }

  #tick(): void {
    const nowMs = this.#ctx.now().getTime()
    // A clock that was set back invalidates the planned time.
    if (this.#running !== undefined || (nowMs < this.#dueMs && nowMs >= this.#lastMs)) return
    void this.run()
  }

  async #sweep(): Promise<void> {
    const now = this.#ctx.now()
    this.#lastMs = now.getTime()
    this.#dueMs = Number.POSITIVE_INFINITY
    try {
      if (!(await isNeeded(this.#ctx))) {
        this.#dueAtMost(now.getTime() + IDLE_MS)
        return
      }
      const applied = await this.#ctx.transaction((tx, emit) => applyWindows(tx, emit, now))
      this.#updateConsoles(applied)
      const again = applied.state === '[]' ? IDLE_MS : LOOK_AGAIN_MS
      this.#dueAtMost(Math.min(applied.nextMs, now.getTime() + again))
      this.#failed = false
    } catch (error) {
      // Once per outage, not once per second.
      if (!this.#failed) this.#ctx.log.error({ err: error }, 'maintenance windows not applied')
      this.#failed = true
      this.#dueMs = 0
    }
  }

  /** An event that arrived in the meantime needs it sooner. */
  #dueAtMost(ms: number): void {
    this.#dueMs = Math.min(this.#dueMs, ms)
  }

  #updateConsoles({ state }: Applied): void {
    if (state === this.#state) return
    this.#state = state
    this.#isEmitting = true
    this.#ctx.emit({ type: 'maintenance.changed', ids: [] })
    this.#isEmitting = false
  }
}

async function isNeeded({ db }: Context): Promise<boolean> {
  const window = await db.selectFrom('maintenance_windows').select('id').limit(1).executeTakeFirst()
  if (window !== undefined) return true
  const held = db.selectFrom('agents').select('agent_id').where('maintenance_by', 'is not', null).limit(1)
  return (await held.executeTakeFirst()) !== undefined
}
