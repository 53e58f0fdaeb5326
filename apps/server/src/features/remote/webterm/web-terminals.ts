import type { ChannelEnd } from '@muster/contract/agent/channel'
import type { Event } from '@muster/contract/events'
import type { Context } from '../../../context.ts'
import { findCaller } from '../../users/sessions/find-caller.ts'
import type { Job } from '../../../platform/jobs/run-job.ts'
import { everyMinute } from '../../../platform/jobs/schedule.ts'
import type { WebTerminal } from './web-terminal.ts'
import { checkWebTerminal } from './open-web-terminal.ts'
import { endLostWebTerminals } from './end-web-terminal.ts'

const SWEEP_MS = 1000
/** Events end them at once. This covers lost events. */
const RECHECK_MS = 30_000

/** The shells of the server in this process. Each ends with the right to it, the session or the setting. */
export class WebTerminals implements AsyncDisposable {
  #ctx: Context
  #open = new Set<WebTerminal>()
  #running = new Set<Promise<void>>()
  #timer: NodeJS.Timeout
  #isStopped = false

  constructor(ctx: Context) {
    this.#ctx = ctx
    ctx.onEvent((event) => this.#onEvent(event))
    this.#timer = setInterval(() => this.#sweep(), SWEEP_MS)
    this.#timer.unref()
  }

  get size(): number {
    return this.#open.size
  }

  /** Adds a terminal, and checks its rights again, which may have ended a moment ago. */
  async add(terminal: WebTerminal): Promise<void> {
    this.#open.add(terminal)
    if (this.#isStopped) return void terminal.end(STOPPING)
    await this.#recheck(terminal)
  }

  remove(terminal: WebTerminal): void {
    this.#open.delete(terminal)
  }

  /** Work that the server waits for when it stops. None starts after that. */
  run(work: () => Promise<void>): Promise<void> {
    return this.#isStopped ? Promise.resolve() : this.finish(work)
  }

  /** Work to finish even when the server stops. */
  async finish(work: () => Promise<void>): Promise<void> {
    const running = work().catch((error: unknown) => {
      this.#ctx.log.error({ err: error }, 'web terminal work failed')
    })
    this.#running.add(running)
    await running
    this.#running.delete(running)
  }

  /** Runs before the sockets close. */
  stop(): void {
    this.#isStopped = true
    for (const terminal of this.#open) void this.finish(() => terminal.end(STOPPING))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop()
    clearInterval(this.#timer)
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #onEvent(event: Event): void {
    if (event.type === 'session.ended') {
      const ended = new Set(event.ids.map(String))
      for (const terminal of this.#open)
        if (ended.has(terminal.caller.session.digest)) void this.finish(() => terminal.end(SIGNED_OUT))
    } else if (event.type === 'settings.changed' || event.type === 'user.changed') this.#recheckAll()
  }

  #recheckAll(): void {
    for (const terminal of this.#open) void this.run(() => this.#recheck(terminal))
  }

  #sweep(): void {
    const nowMs = performance.now()
    const now = this.#ctx.now().toISOString()
    for (const terminal of this.#open) {
      const isDue = nowMs - terminal.checkedAtMs > RECHECK_MS
      if (isDue || terminal.caller.session.expiresAt <= now) void this.run(() => this.#recheck(terminal))
    }
  }

  async #recheck(terminal: WebTerminal): Promise<void> {
    terminal.checkedAtMs = performance.now()
    const { session: known, source } = terminal.caller
    const caller = await findCaller(this.#ctx, known.digest, source)
    const session = caller?.session
    const isSignedIn = session !== undefined && !session.inGrace && session.pending === undefined
    const end = caller === undefined || !isSignedIn ? SIGNED_OUT : await checkWebTerminal(this.#ctx, caller)
    if (end !== undefined) await terminal.end(end)
  }
}

const STOPPING: ChannelEnd = { code: 'ended', message: 'The server is stopping, and its shells with it.' }
const SIGNED_OUT: ChannelEnd = { code: 'session_ended', message: 'The session has ended. Sign in again.' }

export function webTermJobs(ctx: Context): Job[] {
  return [{ name: 'webterm.end-lost', schedule: everyMinute, run: () => endLostWebTerminals(ctx) }]
}
