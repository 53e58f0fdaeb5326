/** How long a test waits for an event before it gives up. A limit for what hangs, never a measure of speed. */
export const PATIENCE_MS = 60_000
/** For programs that start, and for jobs of the server that run once a minute. */
export const LONG_PATIENCE_MS = 180_000
