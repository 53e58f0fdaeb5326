import {
  type MaintenanceTimes,
  nextOccurrence,
  type Occurrence,
  occurrenceAt,
} from './maintenance-schedule.ts'

/** A maintenance window with its schedule. */
export interface WindowTimes {
  schedule: MaintenanceTimes
  /** When a user ended an occurrence early. Null = never. */
  endedMs: number | null
}

/**
 * When work that is limited to maintenance windows may run on a machine that these windows cover: the opening at an
 * instant, or else the next one. Undefined = no window opens again. It ends with the last window that is open at its
 * start, or at the instant if that is later.
 */
export function findOpening(windows: readonly WindowTimes[], atMs: number): Occurrence | undefined {
  const open = windows.flatMap((window) => activeOccurrence(window, atMs) ?? [])
  if (open.length > 0) return join(open)
  const next = windows.flatMap(({ schedule }) => nextOccurrence(schedule, atMs) ?? [])
  if (next.length === 0) return undefined
  const startMs = Math.min(...next.map((one) => one.startMs))
  return join(next.filter((one) => one.startMs === startMs))
}

/** Whether such work may run at an instant. */
export function isOpenAt(windows: readonly WindowTimes[], atMs: number): boolean {
  return windows.some((window) => activeOccurrence(window, atMs) !== undefined)
}

/** The occurrence of a window at an instant, unless a user ended it. */
export function activeOccurrence({ schedule, endedMs }: WindowTimes, atMs: number): Occurrence | undefined {
  const occurrence = occurrenceAt(schedule, atMs)
  if (occurrence === undefined) return undefined
  return endedMs !== null && endedMs >= occurrence.startMs ? undefined : occurrence
}

function join(occurrences: readonly Occurrence[]): Occurrence {
  const ends = occurrences.map(({ endMs }) => endMs ?? Number.POSITIVE_INFINITY)
  const endMs = Math.max(...ends)
  return {
    startMs: Math.min(...occurrences.map(({ startMs }) => startMs)),
    endMs: Number.isFinite(endMs) ? endMs : null,
  }
}
