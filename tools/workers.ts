import { availableParallelism } from 'node:os'

/**
 * Browsers that tests use at the same time. One keeps two processors busy, with its page, its server, its agents and its
 * test. On two processors, ten stories took 127 s one after another, and 125 s two at once, which cost 264 s of processor
 * time instead of 194; 99 tests of the console took 94 s, and 81 to 108 s two at once.
 */
export const BROWSERS_AT_ONCE = Math.max(1, Math.floor(availableParallelism() / 2))
