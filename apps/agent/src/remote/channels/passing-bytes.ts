const LOOK_EVERY_BYTES = 1024 * 1024
let passed = 0

/**
 * Counts bytes that only pass through, and lets V8 look at its young objects in time. The bytes lie outside its heap: it
 * counts them towards a collection of everything instead, and with a heap as small as the agent's that was two thirds
 * of what a transfer cost the machine. Does nothing where Node was started without --expose-gc.
 */
export function countPassing(bytes: number): void {
  passed += bytes
  if (passed < LOOK_EVERY_BYTES) return
  passed = 0
  globalThis.gc?.({ type: 'minor' })
}
