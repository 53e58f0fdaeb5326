import type { TimelineEntry } from '@muster/contract/api/timeline'
import type { Check } from '@muster/contract/api/checks'
import type { TimeRange } from '../../checks/graph-data.ts'
import { serverNow } from '../../../ui/layout/server-clock.ts'

const DAY = 86_400
/** At least as much of the healthy time as this is shown before a failure. */
const LEAD_SECONDS = 900

/** Subject of the curve: a check, by its id, or a metric. */
export type Subject = { check: Check } | { metric: 'cpu' | 'memory' }

/** How far back changes are shown. Without one, since the subject was healthy. */
export const PERIODS = { hour: DAY / 24, day: DAY, week: 7 * DAY } as const
export type Period = keyof typeof PERIODS

/** The period, or from some time before the failure until now; seven days for what does not fail. */
export function rangeSince(
  subject: Subject,
  period?: Period,
  nowSeconds = Math.ceil(serverNow() / 1000),
): TimeRange {
  if (period !== undefined) return { from: nowSeconds - PERIODS[period], to: nowSeconds }
  const since = 'check' in subject ? subject.check.check_result.failing_since : null
  if (since === null) return { from: nowSeconds - 7 * DAY, to: nowSeconds }
  const at = Math.floor(Date.parse(since) / 1000)
  const lead = Math.max(LEAD_SECONDS, Math.round((nowSeconds - at) / 3))
  return { from: Math.max(0, at - lead), to: nowSeconds }
}

/** The event, as a sentence without its subject. */
export function describeChange({ kind, text, severity }: TimelineEntry): string {
  if (kind === 'run') return `${severity === null ? 'Ran' : 'Failed to run'} ${text.split('\n')[0] ?? ''}`
  if (kind === 'reboot') return 'System started'
  return text
}

export interface Marker {
  /** `3`, or `1–3` where several are at nearly one time. */
  label: string
  /** Percent of the width. */
  left: number
  first: TimelineEntry
}

const NEAR_PERCENT = 5

/** Markers of changes in their order, oldest first; those that would overlap are one. */
export function markersOf(changes: readonly TimelineEntry[], { from, to }: TimeRange): Marker[] {
  const groups: { start: number; end: number; left: number; first: TimelineEntry }[] = []
  changes.forEach((change, index) => {
    const left = Math.min(100, Math.max(0, ((change.from - from) / Math.max(1, to - from)) * 100))
    const group = groups.at(-1)
    if (group !== undefined && left - group.left < NEAR_PERCENT) group.end = index + 1
    else groups.push({ start: index + 1, end: index + 1, left, first: change })
  })
  return groups.map(({ start, end, left, first }) => ({
    label: start === end ? `${start}` : `${start}–${end}`,
    left,
    first,
  }))
}
