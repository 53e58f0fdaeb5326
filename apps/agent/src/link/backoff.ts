const FIRST_MS = 500
const LONGEST_MS = 30_000
const SHORTEST_MS = 100

/** Full jitter: anything up to a limit that doubles, so that a fleet does not come back in one moment. */
export function reconnectDelayMs(attempt: number, random: number): number {
  const limit = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 10))
  return Math.max(SHORTEST_MS, Math.round(limit * random))
}
