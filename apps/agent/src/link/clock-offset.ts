import type { Problems } from '../problems.ts'

/** Below this nothing is said: expiry times are minutes away. */
const TELL_FROM_MS = 60_000

/**
 * How far this machine's clock is from the server's, as seen at the last sign-in. It explains refusals; it never
 * decides one, or a hostile server could turn back the clock.
 */
export class ClockOffset {
  #problems: Problems
  /** Server minus machine. */
  #offsetMs: number | undefined

  constructor(problems: Problems) {
    this.#problems = problems
  }

  learn(serverTimeMs: number, machineTimeMs: number): void {
    this.#offsetMs = serverTimeMs - machineTimeMs
    this.#problems.set('clock', this.describe() ?? null)
  }

  /** A moment of this machine's clock as the server's clock would have shown it. */
  correct(machineTimeMs: number): number {
    return machineTimeMs + (this.#offsetMs ?? 0)
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
