import { FLAPPING_REST_MS } from './alert-state.ts'

/** Number of alerts of one cause within the window that makes the next one flapping. */
export const FLAPPING_COUNT = 5
export const FLAPPING_WINDOW_MS = 60 * 60_000

export interface EarlierAlert {
  alert_time: string
  resolved_on: string | null
  flapping: boolean
}

/**
 * `first`: flapping, and notified as such. `again`: flapping that was already notified, held until it is stable.
 * `earlier`: the alerts of the same cause, at least those within the window, in any order.
 */
export function judgeFlapping(earlier: readonly EarlierAlert[], at: string): 'no' | 'first' | 'again' {
  const atMs = Date.parse(at)
  const latest = earlier.toSorted((a, b) => (a.alert_time < b.alert_time ? 1 : -1))[0]
  if (latest !== undefined && latest.flapping && !hasRested(latest, atMs)) return 'again'
  const recent = earlier.filter(({ alert_time }) => Date.parse(alert_time) > atMs - FLAPPING_WINDOW_MS)
  return recent.length >= FLAPPING_COUNT ? 'first' : 'no'
}

/** Half an hour without a change. */
function hasRested({ alert_time, resolved_on }: EarlierAlert, atMs: number): boolean {
  const openedMs = Date.parse(alert_time)
  const endedMs = resolved_on === null ? openedMs : Date.parse(resolved_on)
  return endedMs - openedMs >= FLAPPING_REST_MS || atMs - endedMs >= FLAPPING_REST_MS
}
