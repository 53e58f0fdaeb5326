import { formatDuration } from '../text/units.ts'
import {
  type CheckRule,
  type EntriesToJudge,
  entrySeries,
  fail,
  formatSizeBeside,
  type FoundEntries,
  judgeEntries,
  MB,
  pass,
  roundTo,
  type Severity,
  sizeLimit,
} from './judgement.ts'

/** 0 days = the whole log. */
type EventLogCheck = EntriesToJudge & { search_last_days: number }

export const eventlog: CheckRule<EventLogCheck, FoundEntries> = {
  judge(check, found) {
    const { search_last_days: days } = check
    return judgeEntries(check, found, days === 0 ? 'in the whole log' : `in the last ${days} d`)
  },
  series: entrySeries,
}

/** An event id field: `*` for every event, or a number; white space is ignored. Undefined for other text. */
export function readEventId(text: string): '*' | number | undefined {
  const squeezed = text.replaceAll(/\s/g, '')
  if (squeezed === '*') return '*'
  return /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(squeezed) ? Number(squeezed) : undefined
}

type JournalCheck = EntriesToJudge & { search_last_minutes: number }

export const journal: CheckRule<JournalCheck, FoundEntries> = {
  judge: (check, found) =>
    judgeEntries(check, found, `in the last ${formatDuration(check.search_last_minutes * 60)}`),
  series: entrySeries,
}

interface FileCheck {
  path: string
  expect: 'exists' | 'missing'
  /** 0 = any. */
  max_age_minutes: number
  max_size_mb: number
  alert_severity: Severity
}

/** Clocks of file servers differ a little from the machine's. */
const MAX_AHEAD_SECONDS = 300

export const file: CheckRule<FileCheck, { exists: boolean; size_bytes: number; age_seconds: number }> = {
  judge(check, { exists, size_bytes, age_seconds }) {
    const size = formatSizeBeside(sizeLimit(check.max_size_mb), size_bytes)
    const isAhead = age_seconds < -MAX_AHEAD_SECONDS
    const when = isAhead
      ? `dated ${formatDuration(-age_seconds)} in the future`
      : `changed ${formatAge(age_seconds, check.max_age_minutes * 60)} ago`
    const info = exists ? `${size}, ${when}` : `${check.path} does not exist`
    if (check.expect === 'missing') return exists ? fail(check.alert_severity, info) : pass(info)
    // A date in the future says nothing about the age, and would hide it for long.
    const isTooOld = check.max_age_minutes > 0 && (isAhead || age_seconds > check.max_age_minutes * 60)
    const isTooLarge = check.max_size_mb > 0 && size_bytes > check.max_size_mb * MB
    return !exists || isTooOld || isTooLarge ? fail(check.alert_severity, info) : pass(info)
  },
  series({ exists, size_bytes, age_seconds }) {
    if (!exists) return []
    return [
      { name: 'size', value: size_bytes, unit: 'B' },
      { name: 'age', value: roundTo(age_seconds, 0), unit: 's' },
    ]
  },
}

/** An age that only rounding puts on its limit is more than that. */
function formatAge(seconds: number, maxSeconds: number): string {
  const age = formatDuration(Math.max(0, seconds))
  const isOnLimit = maxSeconds > 0 && seconds > maxSeconds && age === formatDuration(maxSeconds)
  return isOnLimit ? `more than ${age}` : age
}
