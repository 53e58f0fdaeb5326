import { Cron } from 'croner'

/** When a job runs, to the minute, in the server's time zone. */
export interface Schedule {
  /** The most recent due minute, including now. */
  latestRun(now: Date): Date | undefined
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

export const everyMinute: Schedule = {
  latestRun: (now) => new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS),
}

export const everyHour: Schedule = {
  latestRun: (now) => new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS),
}

/** `everyDay('03:10')`. It runs once even in a night when clocks change. */
export function everyDay(time: string): Schedule {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? []
  if (hour === undefined || minute === undefined) throw new Error(`invalid time of day: ${time}`)
  const cron = new Cron(`${Number(minute)} ${Number(hour)} * * *`, { paused: true })
  // croner excludes the reference itself, but a run at the very start of this minute counts.
  return { latestRun: (now) => cron.previousRuns(1, new Date(now.getTime() + 1))[0] }
}
