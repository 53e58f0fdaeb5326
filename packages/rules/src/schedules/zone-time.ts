const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** More than the number of zones: user input in any spelling must not fill the memory. */
const MAX_FORMATTERS = 700

/** Whether it is a known name of the IANA time zone database. Offsets such as +02:00 are not. */
export function isTimeZone(name: string): boolean {
  return isUtc(name) || (/^[A-Za-z]/.test(name) && formatterOf(name) !== undefined)
}

/**
 * Whether it is the zone of a machine's clock: a name, or an offset such as +05:45, which machines report whose zone
 * has no name.
 */
export function isMachineZone(zone: string): boolean {
  return isUtcOffset(zone) || isTimeZone(zone)
}

/** Whether it is an offset such as +05:45. */
export function isUtcOffset(zone: string): boolean {
  return fixedOffsetOf(zone) !== undefined
}

/** The local time of the zone at an instant, as milliseconds without a zone. */
export function wallClockAt(zone: string, instantMs: number): number {
  if (isUtc(zone)) return instantMs
  const fixed = fixedOffsetOf(zone)
  if (fixed !== undefined) return instantMs + fixed
  const formatter = formatterOf(zone)
  if (formatter === undefined) throw new RangeError(`not a time zone: ${zone}`)
  const second = Math.floor(instantMs / 1000) * 1000
  // "11/22/2026, 02:00:00": parsing the text takes a third of the time of `formatToParts`.
  const [month = 1, day = 1, year = 0, hour = 0, minute = 0, seconds = 0] =
    formatter.format(second).match(/\d+/g)?.map(Number) ?? []
  return Date.UTC(year, month - 1, day, hour, minute, seconds) + (instantMs - second)
}

/**
 * The instant of a local time of the zone. A skipped time is the first moment after the gap, a repeated time the
 * first of both.
 */
export function instantOf(zone: string, wallMs: number): number {
  // A day before and a day after are on both sides of a change, and no zone changes twice within two days.
  const before = offsetAt(zone, wallMs - DAY_MS)
  const after = offsetAt(zone, wallMs + DAY_MS)
  const first = wallMs - Math.max(before, after)
  const second = wallMs - Math.min(before, after)
  if (first + offsetAt(zone, first) === wallMs) return first
  if (second + offsetAt(zone, second) === wallMs) return second
  return findChange(zone, wallMs - DAY_MS - before, wallMs + DAY_MS - after)
}

/** UTC, the zone of most servers, needs no calendar data, which loads slowly and takes 7 MB of memory. */
export function isUtc(zone: string): boolean {
  return zone === 'UTC' || zone === 'Etc/UTC'
}

function fixedOffsetOf(zone: string): number | undefined {
  const [, sign, hours, minutes] = /^([+-])([01]\d|2[0-3]):([0-5]\d)$/.exec(zone) ?? []
  if (sign === undefined) return undefined
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS
}

function offsetAt(zone: string, instantMs: number): number {
  return wallClockAt(zone, instantMs) - instantMs
}

/** The first moment of the new offset between two instants with different offsets. Changes are at full minutes. */
function findChange(zone: string, fromMs: number, toMs: number): number {
  const old = offsetAt(zone, fromMs)
  let low = Math.floor(fromMs / MINUTE_MS)
  let high = Math.ceil(toMs / MINUTE_MS)
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(zone, middle * MINUTE_MS) === old) low = middle
    else high = middle
  }
  return high * MINUTE_MS
}

// Creating one takes as long as a hundred uses.
const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterOf(zone: string): Intl.DateTimeFormat | undefined {
  const known = formatters.get(zone)
  if (known !== undefined) return known
  try {
    const formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    if (formatters.size >= MAX_FORMATTERS) formatters.clear()
    formatters.set(zone, formatter)
    return formatter
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
