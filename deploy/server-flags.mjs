// Flags of the server's Node. Ten thousand machines create many short-lived objects. With more room for young objects,
// fewer of them grow old, and pauses for major collections are rare. Measured with 10,000 machines: GET /agents/ of 500
// p95 30 -> 17 ms, memory 440 -> 360 MB. The old space may grow by a third before it is collected, instead of to twice
// or four times its size: memory after the console was opened often 602 -> 518 MB. The server collects passing bytes
// with a call (apps/server/src/platform/agent-link/passing-bytes.ts).
export const serverFlags = ['--max-semi-space-size=32', '--heap-growing-percent=30', '--expose-gc']

// glibc: one arena for all threads, whose free end is returned, instead of one per thread that only grows.
export const serverMemory = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' }
