import { uptime } from 'node:os'
import type { Problems } from '../problems.ts'

/** Below this nothing is said: expiry times are minutes away. */
const TELL_FROM_MS = 60_000
/** Two clocks of one machine drift apart by seconds in a week; beyond this somebody set one. */
const SET_FROM_MS = 60_000

/**
 * How far this machine's clock is from the server's, as seen at the last sign-in. It explains refusals; it never
 * decides one, or a hostile server could turn back the clock.
 */
export class ClockOffset {
  #problems: Problems
  #uptimeMs: () => number
  /** Server minus machine. */
  #offsetMs: number | undefined
  #learnt = { serverTimeMs: 0, uptimeMs: 0 }

  /** `uptimeMs` goes on while the machine sleeps, and nobody can set it. */
  constructor(problems: Problems, uptimeMs = () => uptime() * 1000) {
    this.#problems = problems
    this.#uptimeMs = uptimeMs
  }

  learn(serverTimeMs: number, machineTimeMs: number): void {
    this.#offsetMs = serverTimeMs - machineTimeMs
    this.#learnt = { serverTimeMs, uptimeMs: this.#uptimeMs() }
    this.#problems.set('clock', this.describe() ?? null)
  }

  /**
   * A moment of this machine's clock, now, as the server's clock would show it. When the clock was set since the
   * server told its time, the time that the machine has been up says how late it is.
   */
  correct(machineTimeMs: number): number {
    if (this.#offsetMs === undefined) return machineTimeMs
    const corrected = machineTimeMs + this.#offsetMs
    const elapsed = this.#learnt.serverTimeMs + this.#uptimeMs() - this.#learnt.uptimeMs
    return Math.abs(corrected - elapsed) < SET_FROM_MS ? corrected : elapsed
  }

  /** A sentence when the two clocks differ by more than a minute. */
  describe(): string | undefined {
    if (this.#offsetMs === undefined || Math.abs(this.#offsetMs) < TELL_FROM_MS) return undefined
    const direction = this.#offsetMs > 0 ? 'behind' : 'ahead of'
    return `The clock of this machine is ${describeDuration(Math.abs(this.#offsetMs))} ${direction} the server's.`
  }
}

function describeDuration(ms: number): string {
  const units = [
    ['days', 86_400_000],
    ['hours', 3_600_000],
    ['minutes', 60_000],
  ] as const
  const [name, length] = units.find(([, unit]) => ms >= 2 * unit) ?? ['seconds', 1000]
  return `${Math.round(ms / length)} ${name}`
}
