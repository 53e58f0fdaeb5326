// What the server's Node is started with. Ten thousand machines make much that is forgotten soon: with more room for
// young objects fewer of them grow old, and the pauses in which old ones are collected become rare. Measured with
// 10,000 machines: GET /agents/ of 500 p95 30 -> 17 ms, memory 440 -> 360 MB. The old ones may grow by a third of what
// is alive before they are collected, not to twice or four times of it: memory after the console had been opened often 602 -> 518 MB.
// What passes through is collected by a call (apps/server/src/platform/agent-link/passing-bytes.ts).
export const serverFlags = ['--max-semi-space-size=32', '--heap-growing-percent=30', '--expose-gc']

// glibc: one place for all threads, whose end is given back, instead of one per thread that only grows.
export const serverMemory = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' }
