import { instantOf, wallClockAt } from './zone-time.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** Clock changes skip two hours at most. */
const MAX_GAP_MS = 3 * HOUR_MS
/** February 29 occurs at least every eight years. */
const MAX_SEARCH_DAYS = 8 * 366
/** Clock changes are at full quarters of an hour, so a step of this size never misses one. */
const QUARTER_MINUTES = 15
const THURSDAY = 4

/** A parsed cron expression. */
export interface Cron {
  minutes: readonly number[]
  hours: readonly number[]
  days: ReadonlySet<number>
  months: ReadonlySet<number>
  /** 0 = Sunday. */
  weekdays: ReadonlySet<number>
  /** Both days of the month and days of the week are restricted: either of them matches, as in cron. */
  eitherDay: boolean
  /** The hour field starts with `*`: it runs by elapsed time, also in an hour that the clocks repeat. */
  byElapsedTime: boolean
}

const NICKNAMES: Record<string, string> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
}
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** Parses minute, hour, day of the month, month and day of the week; undefined if invalid. */
export function parseCron(text: string): Cron | undefined {
  const trimmed = text.trim().toLowerCase()
  const fields = (NICKNAMES[trimmed] ?? trimmed).split(/\s+/)
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields
  const minutes = readField(minute, { from: 0, to: 59 })
  const hours = readField(hour, { from: 0, to: 23 })
  const days = readField(day, { from: 1, to: 31 })
  const months = readField(month, { from: 1, to: 12, names: MONTHS })
  const weekdays = readField(weekday, { from: 0, to: 7, names: WEEKDAYS })
  if (fields.length !== 5 || !minutes || !hours || !days || !months || !weekdays) return undefined
  return {
    minutes,
    hours,
    days: new Set(days),
    months: new Set(months),
    weekdays: new Set(weekdays.map((one) => one % 7)),
    eitherDay: !day.startsWith('*') && !weekday.startsWith('*'),
    byElapsedTime: hour.startsWith('*'),
  }
}

/**
 * The next run after an instant. A time that a clock change skips runs at the first moment after the gap, a repeated
 * time runs once. Runs of every hour or every few hours follow elapsed time.
 */
export function nextCronRun(cron: Cron, zone: string, afterMs: number): number | undefined {
  return cron.byElapsedTime ? nextByElapsedTime(cron, zone, afterMs) : nextByClock(cron, zone, afterMs)
}

function nextByClock(cron: Cron, zone: string, afterMs: number): number | undefined {
  const notBefore = wallClockAt(zone, afterMs) - MAX_GAP_MS
  const firstDay = Math.floor(notBefore / DAY_MS)
  for (let day = firstDay; day < firstDay + MAX_SEARCH_DAYS; day++) {
    if (!isCronDay(cron, day)) continue
    for (const hour of cron.hours) {
      for (const minute of cron.minutes) {
        const wall = day * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS
        if (wall < notBefore) continue
        const run = instantOf(zone, wall)
        if (run > afterMs) return run
      }
    }
  }
  return undefined
}

function nextByElapsedTime(cron: Cron, zone: string, afterMs: number): number | undefined {
  const hours = new Set(cron.hours)
  const minutes = new Set(cron.minutes)
  let at = (Math.floor(afterMs / MINUTE_MS) + 1) * MINUTE_MS
  const end = at + MAX_SEARCH_DAYS * DAY_MS
  while (at < end) {
    const wall = wallClockAt(zone, at)
    const day = Math.floor(wall / DAY_MS)
    if (!isCronDay(cron, day)) {
      // If midnight occurs twice, the second one is in the past.
      at = Math.max(at + MINUTE_MS, instantOf(zone, nextCronDay(cron, day) * DAY_MS))
      continue
    }
    const minute = Math.floor(wall / MINUTE_MS) % 60
    const isHour = hours.has(Math.floor((wall % DAY_MS) / HOUR_MS))
    if (isHour && minutes.has(minute)) return at
    const step = isHour ? 1 : QUARTER_MINUTES - (minute % QUARTER_MINUTES)
    at += step * MINUTE_MS
  }
  return undefined
}

function nextCronDay(cron: Cron, day: number): number {
  let next = day + 1
  while (!isCronDay(cron, next) && next < day + MAX_SEARCH_DAYS) next++
  return next
}

function isCronDay({ days, months, weekdays, eitherDay }: Cron, day: number): boolean {
  const date = new Date(day * DAY_MS)
  if (!months.has(date.getUTCMonth() + 1)) return false
  const isDay = days.has(date.getUTCDate())
  const isWeekday = weekdays.has((day + THURSDAY) % 7)
  return eitherDay ? isDay || isWeekday : isDay && isWeekday
}

interface FieldRange {
  from: number
  to: number
  names?: readonly string[]
}

/** The numbers of one field, sorted. */
function readField(text: string, range: FieldRange): number[] | undefined {
  const numbers = new Set<number>()
  for (const part of text.split(',')) {
    const read = readPart(part, range)
    if (read === undefined) return undefined
    for (const number of read) numbers.add(number)
  }
  return [...numbers].toSorted((a, b) => a - b)
}

/** `*`, `5`, `5-20`, each optionally with a step `/3`; `5/3` continues to the end. */
function readPart(part: string, range: FieldRange): number[] | undefined {
  const [, whole, first, last, every] = /^(?:(\*)|(\w+)(?:-(\w+))?)(?:\/(\d{1,3}))?$/.exec(part) ?? []
  if (whole === undefined && first === undefined) return undefined
  const step = every === undefined ? 1 : Number(every)
  const from = first === undefined ? range.from : readNumber(first, range)
  const open = whole !== undefined || (last === undefined && every !== undefined)
  const to = last === undefined ? (open ? range.to : from) : readNumber(last, range)
  if (from === undefined || to === undefined || from > to || step === 0) return undefined
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step)
}

function readNumber(text: string, { from, to, names }: FieldRange): number | undefined {
  const named = names?.indexOf(text) ?? -1
  const number = named >= 0 ? named + from : /^\d{1,2}$/.test(text) ? Number(text) : undefined
  return number !== undefined && number >= from && number <= to ? number : undefined
}
