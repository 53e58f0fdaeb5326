import type { Context } from '../../context.ts'
import { findForgotten } from './find-forgotten.ts'
import { openOverdue } from './open-overdue.ts'
import { raiseAgain } from './raise-again.ts'
import { tendAlerts } from './tend-alerts.ts'

const EVERY_MS = 1000
/** A sweep that takes long is followed by a rest: it seldom takes more than a fiftieth of the time. */
const REST_FACTOR = 50
/** It lets others work in between, so that what ten thousand alerts wait for does not have to wait a minute more. */
const LONGEST_REST_MS = 10_000
/**
 * Machines need a moment to find a server that has started, or woken up. Nobody who was silent because nobody listened
 * is called overdue before.
 */
export const GRACE_MS = 120_000
/** The server has slept, or its clock was set, when more than this lies between two sweeps. */
const GAP_MS = 60_000

/**
 * Looks every second for what time alone brings about: machines that become overdue, holds and snoozes that end.
 * Everything is decided by rows and in transactions, so that any number of processes may sweep at once.
 */
export class AlertSweep implements AsyncDisposable {
  #ctx: Context
  #listeningSinceMs: number
  #sweptAtMs: number
  #isNew = true
  #hasFailed = false
  #stopped = false
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined

  constructor(ctx: Context) {
    this.#ctx = ctx
    this.#listeningSinceMs = ctx.now().getTime()
    this.#sweptAtMs = this.#listeningSinceMs
  }

  start(): void {
    if (this.#stopped || this.#timer !== undefined) return
    this.#plan(EVERY_MS)
  }

  /** One sweep now, after the one that may be running. */
  async sweep(): Promise<void> {
    await this.#running
    this.#running = this.#sweep().finally(() => {
      this.#running = undefined
    })
    await this.#running
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#running
  }

  #plan(delayMs: number): void {
    this.#timer = setTimeout(() => void this.#tick(), delayMs)
    this.#timer.unref()
  }

  async #tick(): Promise<void> {
    const startedMs = performance.now()
    try {
      await this.sweep()
      this.#hasFailed = false
    } catch (error) {
      // Once per outage of the database, not once per second.
      if (!this.#hasFailed) this.#ctx.log.error({ err: error }, 'alerts could not be looked after')
      this.#hasFailed = true
    }
    const tookMs = performance.now() - startedMs
    if (!this.#stopped) this.#plan(Math.min(LONGEST_REST_MS, Math.max(EVERY_MS, tookMs * REST_FACTOR)))
  }

  async #sweep(): Promise<void> {
    const ctx = this.#ctx
    const nowMs = ctx.now().getTime()
    if (Math.abs(nowMs - this.#sweptAtMs) > GAP_MS) this.#listeningSinceMs = nowMs
    this.#sweptAtMs = nowMs
    if (this.#isNew) await findForgotten(ctx)
    this.#isNew = false
    await tendAlerts(ctx)
    if (nowMs - this.#listeningSinceMs >= GRACE_MS) await openOverdue(ctx)
    await raiseAgain(ctx)
  }
}
