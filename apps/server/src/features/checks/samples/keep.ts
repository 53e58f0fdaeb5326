/** How samples are kept: every one for a week, then as means of 5 minutes, and of an hour. In seconds. */
export const DAY = 86_400
/** Samples that are older when they come are dropped. */
export const ACCEPT_SECONDS = 7 * DAY
/** A day more than are accepted: what comes late is still joined with what it belongs to. */
export const KEEP_SECONDS = { 0: 8 * DAY, 300: 90 * DAY, 3600: 730 * DAY } as const
export type Resolution = keyof typeof KEEP_SECONDS
export const RESOLUTIONS = [0, 300, 3600] as const satisfies readonly Resolution[]

/**
 * Which time one chunk covers. A row of a chunk that is much longer than a quarter of a database page (4 kB) leaves
 * much of its page empty; a shorter one has more of its own weight.
 */
export const WINDOW_SECONDS = { 0: 6 * 3600, 300: 12 * 3600, 3600: 6 * DAY } as const
