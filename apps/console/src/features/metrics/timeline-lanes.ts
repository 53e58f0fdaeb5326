import type { TimelineEntry, TimelineKind } from '@muster/contract/api/timeline'
import type { TimeRange } from '../checks/graph-data.ts'

/** Problems first, then possible causes. */
const ORDER: readonly TimelineKind[] = [
  'check',
  'alert',
  'maintenance',
  'reboot',
  'run',
  'job',
  'remote',
  'task',
  'system',
  'change',
  'policy',
  'dropped',
]

export interface Lane {
  kind: TimelineKind
  entries: readonly TimelineEntry[]
}

/** A lane for each kind with entries. */
export function lanesOf(entries: readonly TimelineEntry[]): Lane[] {
  const byKind = Map.groupBy(entries, ({ kind }) => kind)
  return ORDER.flatMap((kind) => {
    const own = byKind.get(kind)
    return own === undefined ? [] : [{ kind, entries: own }]
  })
}

/** Position of an entry in a range, in percent; ongoing entries extend to the end. */
export function positionOf(
  { from, to }: Pick<TimelineEntry, 'from' | 'to'>,
  range: TimeRange,
): { left: number; width: number } {
  const whole = Math.max(1, range.to - range.from)
  const percent = (at: number) => Math.min(100, Math.max(0, ((at - range.from) / whole) * 100))
  const left = percent(from)
  return { left, width: percent(to ?? range.to) - left }
}

const DAY = 86_400
const STEPS = [60, 300, 900, 3600, 3 * 3600, 6 * 3600, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 30 * DAY]
const MAX_TICKS = 8

/** Round times of a range in local time, with their format. */
export function ticksOf({ from, to }: TimeRange): { at: number; left: number; format: string }[] {
  const step =
    STEPS.find((seconds) => (to - from) / seconds <= MAX_TICKS) ?? Math.ceil((to - from) / MAX_TICKS)
  const offset = new Date(from * 1000).getTimezoneOffset() * 60
  const first = Math.ceil((from - offset) / step) * step + offset
  const format = step >= DAY ? 'MMM D' : 'HH:mm'
  const ticks: { at: number; left: number; format: string }[] = []
  for (let at = first; at <= to; at += step) {
    ticks.push({ at, left: positionOf({ from: at, to: at }, { from, to }).left, format })
  }
  return ticks
}
