import { nextCronRun, parseCron } from './cron.ts'
import { instantOf, wallClockAt } from './zone-time.ts'

const TIME_PERIOD = /^(\d{1,3})([smhd])$/i
const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Seconds of a period such as `90s`, `5m`, `12H` or `1d`; 0 and a log line if it is invalid. */
export function parseTimePeriod(text: string, onInvalid: (message: string) => void = logError): number {
  const [, digits = '', unit = ''] = TIME_PERIOD.exec(text) ?? []
  const unitSeconds = UNIT_SECONDS[unit.toLowerCase()]
  if (unitSeconds === undefined) {
    onInvalid('Time Period is invalid')
    return 0
  }
  return Number(digits) * unitSeconds
}

function logError(message: string): void {
  // eslint-disable-next-line no-console -- the spec asks for a logged line, and rules know no other log.
  console.error(message)
}

const DAY_MS = 86_400_000
/** February 29 occurs at least every eight years, which is longer than 255 days or 52 weeks. */
const MAX_SEARCH_DAYS = 8 * 366
const THURSDAY = 4
export const LAST_DAY_BIT = 0x80000000
const LAST_WEEK_BIT = 16

export const TASK_TYPES = [
  'daily',
  'weekly',
  'monthly',
  'monthlydow',
  'runonce',
  'cron',
  'checkfailure',
  'startup',
  'onboarding',
  'manual',
] as const
export type TaskType = (typeof TASK_TYPES)[number]
/** Types that run by the clock. */
const TIMED_TYPES: ReadonlySet<TaskType> = new Set([
  'daily',
  'weekly',
  'monthly',
  'monthlydow',
  'runonce',
  'cron',
])

/** When a task runs, by the clock of its machine: the contract's TaskSchedule. */
export interface TaskTimes {
  task_type: TaskType
  /** `2026-11-22T02:00`: the first day, and the time of day. Null if the type needs none. */
  run_time_date: string | null
  /** No run starts after it. */
  expire_date: string | null
  daily_interval: number
  weekly_interval: number
  /** Sunday = 1, Monday = 2 ... Saturday = 64. */
  run_time_bit_weekdays: number | null
  /** The first = 1, the second = 2 ...; the last = 0x80000000. Months without such a day are skipped. */
  monthly_days_of_month: number | null
  /** January = 1, February = 2 ... */
  monthly_months_of_year: number | null
  /** The first weekday of its name in the month = 1 ... the fourth = 8, the last = 16. */
  monthly_weeks_of_month: number | null
  cron_expression: string | null
  /** A time period: each start is repeated at this interval... */
  task_repetition_interval: string | null
  /** ... for this time. */
  task_repetition_duration: string | null
}

/** Whether tasks of this type run by the clock. */
export function isTimed(type: TaskType): boolean {
  return TIMED_TYPES.has(type)
}

/** The first run after an instant, without the random delay; undefined if there is none. */
export function nextTaskRun(times: TaskTimes, zone: string, afterMs: number): number | undefined {
  let next = nextStart(times, zone, afterMs)
  const repetition = readRepetition(times)
  if (repetition !== undefined) {
    const { intervalMs, durationMs } = repetition
    // Starts whose repetitions have not ended.
    let start = nextStart(times, zone, afterMs - durationMs)
    while (start !== undefined && start <= afterMs) {
      const elapsed = (Math.floor((afterMs - start) / intervalMs) + 1) * intervalMs
      if (elapsed < durationMs) next = Math.min(next ?? Infinity, start + elapsed)
      start = nextStart(times, zone, start)
    }
  }
  return next === undefined || next > expiryMs(times, zone) ? undefined : next
}

/**
 * Whether all of its runs, including delayed ones, are before this instant. `false` for types that do not run by the
 * clock.
 */
export function isTaskOver(
  times: TaskTimes & { random_task_delay: string | null },
  zone: string,
  nowMs: number,
): boolean {
  const delayMs = parseTimePeriod(times.random_task_delay ?? '0s', () => {}) * 1000
  return isTimed(times.task_type) && nextTaskRun(times, zone, nowMs - delayMs) === undefined
}

/** The next runs after an instant, in order, at most `count`. */
export function nextTaskRuns(times: TaskTimes, zone: string, afterMs: number, count: number): number[] {
  const found: number[] = []
  let next = nextTaskRun(times, zone, afterMs)
  while (next !== undefined && found.length < count) {
    found.push(next)
    next = nextTaskRun(times, zone, next)
  }
  return found
}

/** When the repetitions of a run end; undefined without repetition. */
export function endOfRepetition(times: TaskTimes, zone: string, runMs: number): number | undefined {
  const repetition = readRepetition(times)
  if (repetition === undefined) return undefined
  let end: number | undefined
  let start = nextStart(times, zone, runMs - repetition.durationMs)
  while (start !== undefined && start <= runMs) {
    end = start + repetition.durationMs
    start = nextStart(times, zone, start)
  }
  return end
}

/** In milliseconds; undefined unless both periods are set and valid. */
function readRepetition({
  task_repetition_interval: interval,
  task_repetition_duration: duration,
}: Pick<TaskTimes, 'task_repetition_interval' | 'task_repetition_duration'>):
  | { intervalMs: number; durationMs: number }
  | undefined {
  if (interval === null || duration === null) return undefined
  const intervalMs = parseTimePeriod(interval, () => {}) * 1000
  const durationMs = parseTimePeriod(duration, () => {}) * 1000
  return intervalMs > 0 && durationMs > 0 ? { intervalMs, durationMs } : undefined
}

function expiryMs({ expire_date }: TaskTimes, zone: string): number {
  return expire_date === null ? Infinity : instantOf(zone, wallOf(expire_date))
}

/** The next start by calendar or cron expression, without repetitions. */
function nextStart(times: TaskTimes, zone: string, afterMs: number): number | undefined {
  if (times.task_type === 'cron') {
    const cron = parseCron(times.cron_expression ?? '')
    const start = times.run_time_date === null ? -Infinity : instantOf(zone, wallOf(times.run_time_date)) - 1
    return cron === undefined ? undefined : nextCronRun(cron, zone, Math.max(afterMs, start))
  }
  if (times.run_time_date === null) return undefined
  const first = wallOf(times.run_time_date)
  const firstDay = Math.floor(first / DAY_MS)
  if (times.task_type === 'runonce') {
    const run = instantOf(zone, first)
    return run > afterMs ? run : undefined
  }
  let day = firstDay
  // A day earlier: a start that falls into a gap at midnight is on the next local day.
  if (afterMs > firstDay * DAY_MS) day = Math.max(day, Math.floor(wallClockAt(zone, afterMs) / DAY_MS) - 1)
  for (const end = day + MAX_SEARCH_DAYS; day < end; day++) {
    if (!isTaskDay(times, day, firstDay)) continue
    const run = instantOf(zone, day * DAY_MS + (first - firstDay * DAY_MS))
    if (run > afterMs) return run
  }
  return undefined
}

function wallOf(local: string): number {
  return Date.parse(`${local}Z`)
}

/** Days since 1970. */
function isTaskDay(times: TaskTimes, day: number, firstDay: number): boolean {
  switch (times.task_type) {
    case 'daily':
      return (day - firstDay) % times.daily_interval === 0
    case 'weekly': {
      // Weeks start on Sunday, as in other schedulers.
      const weeks = (sundayOf(day) - sundayOf(firstDay)) / 7
      return weeks % times.weekly_interval === 0 && has(times.run_time_bit_weekdays, weekdayOf(day))
    }
    case 'monthly': {
      const date = new Date(day * DAY_MS)
      if (!has(times.monthly_months_of_year, date.getUTCMonth())) return false
      const isLast = new Date((day + 1) * DAY_MS).getUTCDate() === 1
      const days = times.monthly_days_of_month ?? 0
      return has(days, date.getUTCDate() - 1) || (isLast && days >= LAST_DAY_BIT)
    }
    case 'monthlydow': {
      const date = new Date(day * DAY_MS)
      if (!has(times.monthly_months_of_year, date.getUTCMonth())) return false
      if (!has(times.run_time_bit_weekdays, weekdayOf(day))) return false
      const weeks = times.monthly_weeks_of_month ?? 0
      const isLast = new Date((day + 7) * DAY_MS).getUTCDate() <= 7
      const week = Math.floor((date.getUTCDate() - 1) / 7)
      return (week < 4 && has(weeks, week)) || (isLast && (weeks & LAST_WEEK_BIT) !== 0)
    }
    default:
      return false
  }
}

function weekdayOf(day: number): number {
  return (((day + THURSDAY) % 7) + 7) % 7
}

function sundayOf(day: number): number {
  return day - weekdayOf(day)
}

function has(bits: number | null, bit: number): boolean {
  return bits !== null && (bits & (1 << bit)) !== 0
}
