import { instantOf, isTimeZone, wallClockAt } from './zone-time.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const MINUTES_OF_DAY = 1440
/** The 31st occurs at least every 62 days. */
const MAX_SEARCH_DAYS = 100
const FIRST_YEAR = 2000
const LAST_YEAR = 2100
const THURSDAY = 4

/** The schedule of a maintenance window: the contract's MaintenanceSchedule. Times are local times of the zone. */
export interface MaintenanceTimes {
  /** `2026-11-22T02:00`: the first possible day, and the time of day. */
  starts: string
  /** Elapsed time from the start, whatever clock changes happen. Null = until it is ended manually. */
  minutes: number | null
  time_zone: string
  recurs: 'once' | 'daily' | 'weekly' | 'monthly'
  /** 0 = Sunday. */
  weekdays: readonly number[]
  /** -1 = the last. Months without such a day are skipped. */
  month_days: readonly number[]
  /** No occurrence starts after it. */
  until: string | null
}

export interface Occurrence {
  startMs: number
  /** Null = until it is ended manually. */
  endMs: number | null
}

export interface ScheduleProblem {
  field: keyof MaintenanceTimes
  sentence: string
}

/** The occurrence at an instant, including its start and excluding its end. */
export function occurrenceAt(times: MaintenanceTimes, atMs: number): Occurrence | undefined {
  const startMs = latestStart(times, atMs)
  if (startMs === undefined) return undefined
  const occurrence = occurrenceFrom(times, startMs)
  return occurrence.endMs === null || occurrence.endMs > atMs ? occurrence : undefined
}

/** The next occurrence that starts after an instant. */
export function nextOccurrence(times: MaintenanceTimes, afterMs: number): Occurrence | undefined {
  const startMs = nextStart(times, afterMs)
  return startMs === undefined ? undefined : occurrenceFrom(times, startMs)
}

/** The next occurrences after an instant, in order, at most `count`. */
export function nextOccurrences(times: MaintenanceTimes, afterMs: number, count: number): Occurrence[] {
  const found: Occurrence[] = []
  let next = nextOccurrence(times, afterMs)
  while (next !== undefined && found.length < count) {
    found.push(next)
    next = nextOccurrence(times, next.startMs)
  }
  return found
}

/** Returns the problem of a schedule as a sentence for its author. The functions above require a valid schedule. */
export function findScheduleProblem(times: MaintenanceTimes): ScheduleProblem | undefined {
  const { recurs, minutes } = times
  if (!isTimeZone(times.time_zone)) {
    return {
      field: 'time_zone',
      sentence: 'Unknown time zone. Choose one, for example Europe/Zurich.',
    }
  }
  if (!isWithinYears(times.starts)) return { field: 'starts', sentence: yearsSentence }
  if (times.until !== null && !isWithinYears(times.until)) return { field: 'until', sentence: yearsSentence }
  if (recurs === 'weekly' && times.weekdays.length === 0) {
    return { field: 'weekdays', sentence: 'Choose at least one day of the week.' }
  }
  if (recurs === 'monthly' && times.month_days.length === 0) {
    return { field: 'month_days', sentence: 'Choose at least one day of the month.' }
  }
  if (recurs !== 'once') {
    const longest = shortestDistance(times)
    if (minutes === null) {
      return {
        field: 'minutes',
        sentence: 'Set a length. Without one, a recurring window would never end.',
      }
    }
    if (minutes > longest) {
      return {
        field: 'minutes',
        sentence: `The window would start again before it ends. Use at most ${longest / 60} hours.`,
      }
    }
  }
  if (nextStart(times, Number.NEGATIVE_INFINITY) === undefined) {
    return { field: 'until', sentence: 'The window would never start: "until" is before the first start.' }
  }
  return undefined
}

const yearsSentence = `Choose a date from ${FIRST_YEAR} to ${LAST_YEAR}.`

function isWithinYears(local: string): boolean {
  const year = Number(local.slice(0, 4))
  return year >= FIRST_YEAR && year <= LAST_YEAR
}

/** If a day is shorter than 24 hours, the next start ends the previous occurrence. */
function occurrenceFrom(times: MaintenanceTimes, startMs: number): Occurrence {
  if (times.minutes === null) return { startMs, endMs: null }
  const endMs = startMs + times.minutes * MINUTE_MS
  if (times.minutes <= MINUTES_OF_DAY / 2) return { startMs, endMs }
  return { startMs, endMs: Math.min(endMs, nextStart(times, startMs) ?? endMs) }
}

function nextStart(times: MaintenanceTimes, afterMs: number): number | undefined {
  const { firstDay, timeOfDay, untilMs } = readTimes(times)
  let day = firstDay
  // A day earlier: a start that falls into a gap at midnight is on the next local day.
  if (afterMs > firstDay * DAY_MS) day = Math.max(day, dayOf(wallClockAt(times.time_zone, afterMs)) - 1)
  for (let steps = 0; steps < MAX_SEARCH_DAYS; steps++, day++) {
    if (times.recurs === 'once' && day > firstDay) return undefined
    if (!isChosen(times, day)) continue
    const startMs = instantOf(times.time_zone, day * DAY_MS + timeOfDay)
    if (startMs > untilMs) return undefined
    if (startMs > afterMs) return startMs
  }
  return undefined
}

function latestStart(times: MaintenanceTimes, atMs: number): number | undefined {
  const { firstDay, timeOfDay, untilMs } = readTimes(times)
  let day = times.recurs === 'once' ? firstDay : dayOf(wallClockAt(times.time_zone, Math.min(atMs, untilMs)))
  for (let steps = 0; steps < MAX_SEARCH_DAYS && day >= firstDay; steps++, day--) {
    if (!isChosen(times, day)) continue
    const startMs = instantOf(times.time_zone, day * DAY_MS + timeOfDay)
    if (startMs <= atMs && startMs <= untilMs) return startMs
  }
  return undefined
}

function readTimes(times: MaintenanceTimes): { firstDay: number; timeOfDay: number; untilMs: number } {
  const starts = Date.parse(`${times.starts}Z`)
  const firstDay = dayOf(starts)
  return {
    firstDay,
    timeOfDay: starts - firstDay * DAY_MS,
    untilMs:
      times.until === null
        ? Number.POSITIVE_INFINITY
        : instantOf(times.time_zone, Date.parse(`${times.until}Z`)),
  }
}

function dayOf(wallMs: number): number {
  return Math.floor(wallMs / DAY_MS)
}

function isChosen({ recurs, weekdays, month_days: monthDays }: MaintenanceTimes, day: number): boolean {
  switch (recurs) {
    case 'once':
    case 'daily':
      return true
    case 'weekly':
      return weekdays.includes((day + THURSDAY) % 7)
    case 'monthly': {
      const isLast = new Date((day + 1) * DAY_MS).getUTCDate() === 1
      return (isLast && monthDays.includes(-1)) || monthDays.includes(new Date(day * DAY_MS).getUTCDate())
    }
  }
}

/** Minutes between the two nearest starts of the calendar. */
function shortestDistance(times: MaintenanceTimes): number {
  // Four years contain every combination of adjacent month lengths.
  const from = Date.UTC(2027, 0, 1) / DAY_MS
  let previous: number | undefined
  let shortest = Number.POSITIVE_INFINITY
  for (let day = from; day < from + 1461 + 62; day++) {
    if (!isChosen(times, day)) continue
    if (previous !== undefined) shortest = Math.min(shortest, day - previous)
    previous = day
  }
  return shortest * MINUTES_OF_DAY
}
