const HEADER_BYTES = 44
const DAY_SECONDS = 86_400

/**
 * The offset from UTC in seconds that a time zone file gives at a time in Unix seconds; undefined if it is damaged.
 * https://www.rfc-editor.org/rfc/rfc9636
 */
export function utcOffsetIn(bytes: Buffer, atSeconds: number): number | undefined {
  try {
    if (bytes.toString('latin1', 0, 4) !== 'TZif') return undefined
    const first = readCounts(bytes, 0)
    // Since version 2, a block with longer numbers and a rule for later times follow the first block.
    if (bytes[4] === 0) return offsetInBlock(bytes, { start: 0, counts: first, timeBytes: 4 }, atSeconds)
    const start = HEADER_BYTES + blockBytes(first, 4)
    return offsetInBlock(bytes, { start, counts: readCounts(bytes, start), timeBytes: 8 }, atSeconds)
  } catch (error) {
    // The file ends too early.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

interface Counts {
  utc: number
  standard: number
  leaps: number
  times: number
  types: number
  characters: number
}

interface Block {
  start: number
  counts: Counts
  timeBytes: 4 | 8
}

function readCounts(bytes: Buffer, start: number): Counts {
  const count = (index: number) => bytes.readUInt32BE(start + 20 + index * 4)
  return {
    utc: count(0),
    standard: count(1),
    leaps: count(2),
    times: count(3),
    types: count(4),
    characters: count(5),
  }
}

function blockBytes({ utc, standard, leaps, times, types, characters }: Counts, timeBytes: number): number {
  return times * (timeBytes + 1) + types * 6 + characters + leaps * (timeBytes + 4) + standard + utc
}

function offsetInBlock(bytes: Buffer, { start, counts, timeBytes }: Block, at: number): number | undefined {
  const timesAt = start + HEADER_BYTES
  const readTime = (index: number) =>
    timeBytes === 4
      ? bytes.readInt32BE(timesAt + index * 4)
      : Number(bytes.readBigInt64BE(timesAt + index * 8))
  let last = -1
  while (last + 1 < counts.times && readTime(last + 1) <= at) last += 1
  const end = timesAt + blockBytes(counts, timeBytes)
  const [, rule = ''] = bytes.toString('latin1', end).split('\n')
  const byRule = timeBytes === 8 && last === counts.times - 1 ? offsetByRule(rule, at) : undefined
  if (byRule !== undefined) return byRule
  const indexes = timesAt + counts.times * timeBytes
  const type = last < 0 ? 0 : bytes.readUInt8(indexes + last)
  return bytes.readInt32BE(indexes + counts.times + type * 6)
}

const RULE =
  /^(?:<[^>]+>|[A-Za-z]+)([+-]?[\d:]+)(?:(?:<[^>]+>|[A-Za-z]+)([+-]?[\d:]+)?,([^,/]+)(?:\/([^,]+))?,([^,/]+)(?:\/([^,]+))?)?$/

/** `CET-1CEST,M3.5.0,M10.5.0/3`: the variable TZ of POSIX, where west is positive. */
function offsetByRule(text: string, at: number): number | undefined {
  const [, west, summerWest, start, startTime = '2', end, endTime = '2'] = RULE.exec(text) ?? []
  if (west === undefined) return undefined
  const standard = 0 - readClock(west)
  if (start === undefined || end === undefined) return standard
  const summer = summerWest === undefined ? standard + 3600 : 0 - readClock(summerWest)
  const year = new Date((at + standard) * 1000).getUTCFullYear()
  const starts = dayOf(start, year) + readClock(startTime) - standard
  const ends = dayOf(end, year) + readClock(endTime) - summer
  // South of the equator, summer lasts over the new year.
  const isSummer = starts < ends ? at >= starts && at < ends : at >= starts || at < ends
  return isSummer ? summer : standard
}

function readClock(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.replace(/^[+-]/, '').split(':').map(Number)
  return (text.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds)
}

/** The start of the day in local time: `M3.5.0` is the last Sunday of March, `J60` the first of March. */
function dayOf(rule: string, year: number): number {
  const yearStart = Date.UTC(year, 0, 1) / 1000
  const [, month, week, weekday] = /^M(\d+)\.(\d)\.(\d)$/.exec(rule)?.map(Number) ?? []
  if (month === undefined || week === undefined || weekday === undefined) {
    const day = Number(rule.replace('J', ''))
    const isLeapYear = new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1
    // Days with a J never count the 29th of February.
    const index = rule.startsWith('J') ? day - 1 + (isLeapYear && day >= 60 ? 1 : 0) : day
    return yearStart + index * DAY_SECONDS
  }
  const firstOfMonth = new Date(Date.UTC(year, month - 1, 1))
  const monthDays = new Date(Date.UTC(year, month, 0)).getUTCDate()
  let day = 1 + ((weekday - firstOfMonth.getUTCDay() + 7) % 7) + (week - 1) * 7
  while (day > monthDays) day -= 7
  return firstOfMonth.getTime() / 1000 + (day - 1) * DAY_SECONDS
}
