import { quietly } from './pending.ts'

const RETRY_MS = 2000

/**
 * A live view that is kept going by asking for what is newer, until `signal` ends it. `ask` takes in an answer and
 * says how many milliseconds there are at least between two questions.
 */
export async function askAgain(
  ask: (signal: AbortSignal) => Promise<number>,
  onTrouble: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const startedMs = performance.now()
    let leastMs: number
    try {
      leastMs = await quietly(() => ask(signal))
    } catch (error) {
      if (signal.aborted) return
      leastMs = RETRY_MS
      onTrouble(error)
    }
    await pause(leastMs - (performance.now() - startedMs), signal)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, ms))
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
