import { instantOf, wallClockAt } from '../schedules/zone-time.ts'

export interface QuietHours {
  /** Clock times such as `22:00`; both empty = none. `to` before `from` is on the next day. */
  from: string
  to: string
  /** IANA name. */
  timeZone: string
}

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/**
 * The end of the quiet hours at an instant; undefined outside of them. They start and end once a day, at the first
 * moment at which the clocks of the zone show or pass the time: an hour that a clock change repeats neither starts
 * nor ends them a second time.
 *
 *     quietUntil({ from: '22:00', to: '07:00', timeZone: 'Europe/Zurich' }, Date.now())
 */
export function quietUntil({ from, to, timeZone }: QuietHours, nowMs: number): number | undefined {
  if (from === '' || to === '' || from === to) return undefined
  const fromMs = timeOfDayMs(from)
  const toMs = timeOfDayMs(to) + (to < from ? DAY_MS : 0)
  const today = Math.floor(wallClockAt(timeZone, nowMs) / DAY_MS) * DAY_MS
  for (const day of [today - DAY_MS, today]) {
    const end = instantOf(timeZone, day + toMs)
    if (instantOf(timeZone, day + fromMs) <= nowMs && nowMs < end) return end
  }
  return undefined
}

function timeOfDayMs(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return (hour * 60 + minute) * MINUTE_MS
}
