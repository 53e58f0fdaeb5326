import { uptime } from 'node:os'
import type { Problems } from '../status-file.ts'

/** Smaller offsets are not reported: commands expire after minutes. */
const MIN_REPORTED_MS = 60_000
/** Two clocks of one machine drift by seconds in a week. Beyond this, the clock was set. */
const SET_FROM_MS = 60_000

/**
 * Offset between this machine's clock and the server's, as of the last sign-in. It only explains refused commands
 * and never decides about them, or a hostile server could turn back the clock.
 */
export class ClockOffset {
  #problems: Problems
  #uptimeMs: () => number
  /** Server minus machine. */
  #offsetMs: number | undefined
  #learnt = { serverTimeMs: 0, uptimeMs: 0 }

  /** `uptimeMs` continues while the machine sleeps, and cannot be set. */
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
   * Converts a time of this machine's clock to the server's clock. If the clock was set since the server sent its
   * time, the uptime shows by how much.
   */
  correct(machineTimeMs: number): number {
    if (this.#offsetMs === undefined) return machineTimeMs
    const corrected = machineTimeMs + this.#offsetMs
    const elapsed = this.#learnt.serverTimeMs + this.#uptimeMs() - this.#learnt.uptimeMs
    return Math.abs(corrected - elapsed) < SET_FROM_MS ? corrected : elapsed
  }

  /** A message if the clocks differ by more than a minute. */
  describe(): string | undefined {
    if (this.#offsetMs === undefined || Math.abs(this.#offsetMs) < MIN_REPORTED_MS) return undefined
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
