import { nextCronRun, parseCron } from '../schedules/cron.ts'

const HOUR_MS = 3_600_000
/** How far the first time zone is ahead of UTC. */
const FIRST_ZONE_HOURS = 14

/** How often a job repeats: the contract's JobRepeat. */
export interface JobTimes {
  cron: string
  /** `server`: all machines start together. `machine`: each starts at this time of its own clock. */
  clock: 'server' | 'machine'
}

export interface RepeatTime {
  /** When the job of this time is planned: its start, or by the clocks of machines when the first zone reaches it. */
  planMs: number
  /** `2026-11-26T02:00`, the time on the clocks of machines; null = by the server's clock. */
  local: string | null
  /** Hours until the next time, after which the job of this one starts no more machines. */
  hours: number
}

/** Returns what is wrong with a cron expression for a job, as a sentence, or undefined. */
export function findRepeatProblem(text: string): string | undefined {
  const cron = parseCron(text)
  if (cron === undefined)
    return 'Use minute, hour, day of the month, month and day of the week, for example 30 2 * * mon-fri.'
  if (cron.minutes.length > 1) return 'A job repeats at most once an hour. Use a task for more.'
  return nextCronRun(cron, 'UTC', 0) === undefined ? 'This date never occurs.' : undefined
}

/**
 * The next time of a repeating job, or undefined. `after` is the last one, or else now: an instant, or by the clocks of
 * machines a local time as if it were UTC.
 */
export function nextRepeat(
  { cron: text, clock }: JobTimes,
  zone: string,
  after: number,
): RepeatTime | undefined {
  const cron = parseCron(text)
  if (cron === undefined) return undefined
  const next = (from: number) => nextCronRun(cron, clock === 'server' ? zone : 'UTC', from)
  const atMs = next(after)
  if (atMs === undefined) return undefined
  const hours = Math.max(1, Math.floor(((next(atMs) ?? Number.POSITIVE_INFINITY) - atMs) / HOUR_MS))
  if (clock === 'server') return { planMs: atMs, local: null, hours }
  return {
    planMs: atMs - FIRST_ZONE_HOURS * HOUR_MS,
    local: new Date(atMs).toISOString().slice(0, 16),
    hours,
  }
}
