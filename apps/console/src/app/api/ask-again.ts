import { quietly } from './api.ts'

const RETRY_MS = 2000

/**
 * Polls for newer data until `signal` aborts. `ask` stores a response and returns the least number of milliseconds
 * between two requests.
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
