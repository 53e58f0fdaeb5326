/**
 * How long results count. One rule for every screen and count: no measurement = no results; a pass older than twice
 * the interval of its check = stale; green is a fresh pass. A check that its machine cannot measure has no results either:
 * it counts as pending, and never as failing. A failure never becomes stale, because nothing shows
 * that it has ended.
 */

/** Number of intervals that a pass stays fresh: one may be late. */
export const FRESH_INTERVALS = 2

/** Seconds between two runs of a check; 0 = the machine's default. */
export function effectiveInterval(check: { run_interval: number }, machineSeconds: number): number {
  return check.run_interval === 0 ? machineSeconds : check.run_interval
}

/** Until when a result is fresh; null without one. */
export function freshUntil(lastRun: string | null, intervalSeconds: number): string | null {
  if (lastRun === null) return null
  return new Date(Date.parse(lastRun) + FRESH_INTERVALS * intervalSeconds * 1000).toISOString()
}

export type CheckState = 'no_results' | 'not_measured' | 'failing' | 'old' | 'passing'

export function checkStateOf(
  {
    status,
    fresh_until,
  }: { status: 'passing' | 'failing' | 'pending' | 'not_measured'; fresh_until: string | null },
  nowMs: number,
): CheckState {
  if (status === 'pending') return 'no_results'
  if (status === 'failing' || status === 'not_measured') return status
  return fresh_until !== null && Date.parse(fresh_until) < nowMs ? 'old' : 'passing'
}

/** Number of checks of a machine by state; `passing` are the fresh ones. */
export interface CheckNumbers {
  total: number
  passing: number
  failing: number
  warning: number
  info: number
  old: number
  pending: number
}

/** The overall state of a machine's checks, the worst first. */
export type ChecksSummary = 'none' | 'failing' | 'warning' | 'old' | 'no_results' | 'passing'

export function summarizeChecks({ total, failing, warning, old, pending }: CheckNumbers): ChecksSummary {
  if (total === 0) return 'none'
  if (failing > 0) return 'failing'
  if (warning > 0) return 'warning'
  if (old > 0) return 'old'
  return pending > 0 ? 'no_results' : 'passing'
}

/** Sort key: failing machines first, then unknown, then passing ones. */
export function checksSortKey({ failing, warning, info, old, pending }: CheckNumbers): number {
  // A machine has at most some hundred checks.
  return ((failing * 1000 + warning) * 1000 + info) * 1000 + old + pending
}
