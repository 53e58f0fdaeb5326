/** A duration in its two largest units: `2 h 10 min`, `1.5 s`, `80 ms`; empty for an invalid one. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return ''
  const ms = Math.round(seconds * 1000)
  if (ms < 1000) return ms === 0 ? '0 s' : `${ms} ms`
  const tenths = Math.round(seconds * 10)
  if (tenths < 100) return `${tenths / 10} s`
  const wholeSeconds = Math.round(seconds)
  if (wholeSeconds < HOUR) return join(wholeSeconds, { size: MINUTE, name: 'min' }, { size: 1, name: 's' })
  const wholeMinutes = Math.round(seconds / MINUTE)
  if (wholeMinutes * MINUTE < DAY) {
    return join(wholeMinutes * MINUTE, { size: HOUR, name: 'h' }, { size: MINUTE, name: 'min' })
  }
  return join(Math.round(seconds / HOUR) * HOUR, { size: DAY, name: 'd' }, { size: HOUR, name: 'h' })
}

type Unit = { size: number; name: string }
const MINUTE = 60
const HOUR = 3600
const DAY = 86_400

function join(seconds: number, large: Unit, small: Unit): string {
  const counts = [
    { count: Math.floor(seconds / large.size), name: large.name },
    { count: (seconds % large.size) / small.size, name: small.name },
  ]
  return counts
    .filter(({ count }) => count > 0)
    .map(({ count, name }) => `${count} ${name}`)
    .join(' ')
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']
const STEP = 1024

/** A number of bytes for display, in three significant digits: `1.5 GB`, `245 GB`; empty for an invalid number. */
export function formatFileSize(bytes: number): string {
  return Number.isFinite(bytes) ? roundFileSize(bytes, 3).text : ''
}

/** A number of bytes in a unit that fits, and the number of bytes that the rounded text stands for. */
export function roundFileSize(bytes: number, digits: number): { text: string; bytes: number } {
  let size = Math.abs(bytes)
  let unit = 0
  // By the rounded size, so that 1023.999 KB becomes 1 MB and not 1024 KB.
  while (roundSize(size, digits) >= STEP && unit < UNITS.length - 1) {
    size /= STEP
    unit += 1
  }
  const count = roundSize(Math.sign(bytes) * size, digits)
  return { text: `${count} ${UNITS[unit]}`, bytes: count * STEP ** unit }
}

function roundSize(size: number, digits: number): number {
  const whole = Math.abs(size) < 10 ? 1 : Math.abs(size) < 100 ? 2 : 3
  const scale = 10 ** (digits - whole)
  // + 0 turns a rounded -0 into 0.
  return Math.round(size * scale) / scale + 0
}

/**
 * The time since or until an instant: `3 days ago`, `in 5 minutes`. Accepts milliseconds, an ISO instant or unix
 * seconds (any number below 100,000,000,000, which in milliseconds was March 1973). Empty for an invalid instant.
 */
export function formatRelativeTime(instant: number | string | null | undefined, nowMs: number): string {
  const seconds = (nowMs - toMs(instant)) / 1000
  if (!Number.isFinite(seconds)) return ''
  const amount = formatAge(Math.abs(seconds) * 1000)
  return seconds < 0 && measure(-seconds).count > 0 ? `in ${amount}` : `${amount} ago`
}

/** A duration in one unit, in words: `57 minutes`. */
export function formatAge(ms: number): string {
  const { count, unit } = measure(ms / 1000)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
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
