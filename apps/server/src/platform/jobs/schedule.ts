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
  // A time that the clock skips becomes one after the gap; of a time that occurs twice, the first counts.
  const runOn = (now: Date, day: number) =>
    new Date(now.getFullYear(), now.getMonth(), day, Number(hour), Number(minute))
  return {
    latestRun: (now) => {
      const today = runOn(now, now.getDate())
      return today <= now ? today : runOn(now, now.getDate() - 1)
    },
  }
}
