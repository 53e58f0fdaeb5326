import { type MaintenanceTimes, nextOccurrence } from '../schedules/maintenance-schedule.ts'

/** When a policy installs approved patches: the contract's PatchSchedule. */
export interface PatchSchedule {
  /** `window`: at the start of each maintenance window of the machine. */
  recurs: 'weekly' | 'monthly' | 'window'
  /** 0 = Sunday. */
  weekdays: readonly number[]
  /** -1 = the last. */
  month_days: readonly number[]
  /** By the clock of the machine: `03:00`. */
  time: string
  /** A machine that is offline at the time gets the patches when it returns, until then. */
  late_hours: number
}

export interface PatchTime {
  startMs: number
  /** Nothing is started after it. */
  endMs: number
}

const HOUR_MS = 3_600_000
/** A maintenance window without an end. */
const OPEN_WINDOW_HOURS = 24

/** The next installation after an instant; undefined if there is none. `windows`: those that cover the machine. */
export function nextPatchTime(
  schedule: PatchSchedule,
  { zone, windows }: { zone: string; windows: readonly MaintenanceTimes[] },
  afterMs: number,
): PatchTime | undefined {
  if (schedule.recurs !== 'window') {
    const next = nextOccurrence(timesOf(schedule, schedule.recurs, zone), afterMs)
    return next && { startMs: next.startMs, endMs: next.startMs + schedule.late_hours * HOUR_MS }
  }
  const found = windows.flatMap((window) => nextOccurrence(window, afterMs) ?? [])
  const [next] = found.toSorted((a, b) => a.startMs - b.startMs)
  return next && { startMs: next.startMs, endMs: next.endMs ?? next.startMs + OPEN_WINDOW_HOURS * HOUR_MS }
}

function timesOf(
  { weekdays, month_days, time }: PatchSchedule,
  recurs: 'weekly' | 'monthly',
  time_zone: string,
): MaintenanceTimes {
  return { starts: `2000-01-01T${time}`, minutes: 1, time_zone, recurs, weekdays, month_days, until: null }
}

/** Why a schedule never installs anything, as a sentence. */
export function findPatchScheduleProblem({
  recurs,
  weekdays,
  month_days,
}: PatchSchedule): { field: 'weekdays' | 'month_days'; sentence: string } | undefined {
  if (recurs === 'weekly' && weekdays.length === 0)
    return { field: 'weekdays', sentence: 'Choose at least one day of the week.' }
  if (recurs === 'monthly' && month_days.length === 0)
    return { field: 'month_days', sentence: 'Choose at least one day of the month.' }
  return undefined
}
