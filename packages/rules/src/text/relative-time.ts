/**
 * The time since or until an instant: `3 days ago`, `in 5 minutes`. Accepts milliseconds, an ISO instant or unix
 * seconds (any number below 100,000,000,000, which in milliseconds was March 1973). Empty for an invalid instant.
 */
export function formatRelativeTime(instant: number | string | null | undefined, nowMs: number): string {
  const seconds = (nowMs - toMs(instant)) / 1000
  if (!Number.isFinite(seconds)) return ''
  const { count, unit } = measure(Math.abs(seconds))
  const amount = `${count} ${unit}${count === 1 ? '' : 's'}`
  return seconds < 0 && count > 0 ? `in ${amount}` : `${amount} ago`
}

const SHORT_UNITS: Record<string, string> = {
  second: 's',
  minute: 'min',
  hour: 'h',
  day: 'd',
  month: 'mo',
  year: 'y',
}

/** A duration in one unit, for narrow cells: `57 min`. */
export function formatShortAge(ms: number): string {
  const { count, unit } = measure(Math.max(0, ms) / 1000)
  return `${count} ${SHORT_UNITS[unit] ?? unit}`
}

const UNIX_SECONDS_BELOW = 100_000_000_000
const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const MONTH = 30 * DAY
const YEAR = 365 * DAY

function toMs(instant: number | string | null | undefined): number {
  if (typeof instant === 'string') return Date.parse(instant)
  if (typeof instant !== 'number') return NaN
  return Math.abs(instant) < UNIX_SECONDS_BELOW ? instant * 1000 : instant
}

// A unit is used until its rounded count reaches the next one, to avoid "60 minutes ago".
function measure(seconds: number): { count: number; unit: string } {
  const rounded = (unitSeconds: number) => Math.round(seconds / unitSeconds)
  if (rounded(1) < MINUTE) return { count: rounded(1), unit: 'second' }
  if (rounded(MINUTE) < 60) return { count: rounded(MINUTE), unit: 'minute' }
  if (rounded(HOUR) < 24) return { count: rounded(HOUR), unit: 'hour' }
  if (rounded(DAY) < 30) return { count: rounded(DAY), unit: 'day' }
  if (rounded(DAY) < 365) return { count: rounded(MONTH), unit: 'month' }
  return { count: rounded(YEAR), unit: 'year' }
}
