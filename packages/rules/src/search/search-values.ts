import { fold } from './search-text.ts'

/** Values of a search: numbers with units, ages, dates and versions, as a user writes them. */

const SIZES: Readonly<Record<string, number>> = {
  b: 1,
  k: 1024,
  kb: 1024,
  m: 1024 ** 2,
  mb: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1024 ** 3,
  t: 1024 ** 4,
  tb: 1024 ** 4,
}

const SECONDS: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  min: 60,
  h: 3600,
  d: 86_400,
  w: 7 * 86_400,
  y: 365 * 86_400,
}

/** A number with its unit in lower case; the unit is empty without one. */
export function readNumber(text: string): { number: number; unit: string } | undefined {
  const [, digits, unit] = /^(-?\d{1,15}(?:\.\d{1,9})?) ?([a-z]{0,3}|%)$/.exec(text) ?? []
  return digits === undefined || unit === undefined ? undefined : { number: Number(digits), unit }
}

/** Bytes, and the size of the unit; undefined without a unit (except 0). */
export function readSize(text: string): { bytes: number; unit: number } | undefined {
  const found = readNumber(text)
  if (found === undefined) return undefined
  const unit = found.number === 0 && found.unit === '' ? 1 : ownValue(SIZES, found.unit.replace(/ib$/, 'b'))
  return unit === undefined ? undefined : { bytes: found.number * unit, unit }
}

export function readPercent(text: string): number | undefined {
  const found = readNumber(text)
  return found?.unit === '' || found?.unit === '%' ? found.number : undefined
}

/** Milliseconds of `7d` or `4h`. */
export function readAge(text: string): number | undefined {
  const found = readNumber(text)
  const seconds = found && ownValue(SECONDS, found.unit)
  return found === undefined || seconds === undefined ? undefined : found.number * seconds * 1000
}

const DAY_MS = 86_400_000

/** Start and end of a day (`2026-11-25`) or of a minute (`2026-11-25T08:30`), in UTC. */
export function readDate(text: string): { fromMs: number; toMs: number } | undefined {
  const [, day, minute] = /^(\d{4}-\d\d-\d\d)(t\d\d:\d\d)?$/.exec(text) ?? []
  if (day === undefined) return undefined
  const fromMs = Date.parse(`${day}${(minute ?? 't00:00').toUpperCase()}:00.000Z`)
  // Date.parse accepts February 30.
  if (Number.isNaN(fromMs) || !new Date(fromMs).toISOString().startsWith(day)) return undefined
  return { fromMs, toMs: fromMs + (minute === undefined ? DAY_MS : 60_000) }
}

export function readFlag(text: string): boolean | undefined {
  if (text === 'yes' || text === 'true' || text === '1') return true
  return text === 'no' || text === 'false' || text === '0' ? false : undefined
}

/** Parts of a version: numbers compare by value, letters by alphabet. */
function versionParts(version: string): string[] {
  const text = version.slice(0, 200).replace(/^v(?=\d)/, '')
  return text.match(/\d+|[a-z]+|~/g) ?? []
}

/** Both versions. The epoch of a package (`2:1.0`), which users rarely know, counts only if both have one. */
function partsOfBoth(a: string, b: string): [string[], string[]] {
  const [left, right] = [fold(a), fold(b)]
  const hasEpoch = EPOCH.test(left) && EPOCH.test(right)
  const parts = (text: string) => versionParts(hasEpoch ? text : text.replace(EPOCH, ''))
  return [parts(left), parts(right)]
}

const EPOCH = /^\d+:/

/** Negative if `a` is older than `b`: `9.10` is newer than `9.9`, and `1.0-rc1` is older than `1.0`. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = partsOfBoth(a, b)
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = comparePart(left[index], right[index])
    if (difference !== 0) return difference
  }
  return 0
}

/** Whether a version begins with these parts: `130.0.1` with `130`, but not with `13`. */
export function versionStartsWith(version: string, start: string): boolean {
  const [parts, wanted] = partsOfBoth(version, start)
  return wanted.every((part, index) => comparePart(part, parts[index]) === 0)
}

const PRE_RELEASES = new Set(['~', 'a', 'alpha', 'b', 'beta', 'dev', 'pre', 'preview', 'rc'])

function comparePart(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0
  const [left, right] = [partRank(a), partRank(b)]
  if (left !== right) return left - right
  if (left === 1) return 0
  if (left === 2) return Number(a) - Number(b)
  return (a ?? '') < (b ?? '') ? -1 : 1
}

/** A pre-release is older than nothing, nothing is older than a number or other letters. `1.0` equals `1.0.0`. */
function partRank(part: string | undefined): number {
  if (part === undefined || /^0+$/.test(part)) return 1
  if (/^\d/.test(part)) return 2
  return PRE_RELEASES.has(part) ? 0 : 3
}

/** A test for texts that a pattern with `*` matches from beginning to end. Takes linear time, unlike a regular expression. */
export function compilePattern(pattern: string): (text: string) => boolean {
  const parts = pattern.split(/\*+/)
  const [first = '', last = ''] = [parts[0], parts.at(-1)]
  const middle = parts.slice(1, -1)
  return (text) => {
    if (parts.length === 1) return text === pattern
    if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last))
      return false
    let at = first.length
    for (const part of middle) {
      const found = text.indexOf(part, at)
      if (found === -1) return false
      at = found + part.length
    }
    return at <= text.length - last.length
  }
}

/** The nearest of these names, at most three: those that differ in a few letters or contain it. */
export function nearestNames(name: string, known: Iterable<string>): string[] {
  const asked = name.slice(0, 40).toLowerCase()
  const limit = Math.max(1, Math.floor(asked.length / 3))
  return Array.from(new Set(known), (other) => ({ other, distance: distanceOf(asked, other.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ other }) => other)
}

function distanceOf(asked: string, other: string): number {
  if (asked.length >= 2 && other.startsWith(asked)) return 0.5
  if (asked.length >= 3 && other.includes(asked)) return 0.9
  if (Math.abs(asked.length - other.length) > 4) return Number.POSITIVE_INFINITY
  return editDistance(asked, other)
}

/** Letters to add, remove, replace or swap. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swap = swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(replaced, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}

function ownValue(table: Readonly<Record<string, number>>, key: string): number | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
