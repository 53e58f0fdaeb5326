import { fail, firstLine, type Judgement, pass, type Severity } from './judgement.ts'
import type { SeriesValue } from './series-value.ts'

export interface EntriesToJudge {
  fail_when: 'contains' | 'not_contains'
  number_of_events_b4_alert: number
  alert_severity: Severity
}
export interface FoundEntries {
  count: number
  is_whole: boolean
  entries: readonly { message: string }[]
}

/** Judges log entries. `when`: the searched time. */
export function judgeEntries(
  check: EntriesToJudge,
  { count, is_whole, entries }: FoundEntries,
  when: string,
): Judgement {
  const isFound = count >= check.number_of_events_b4_alert
  const newest = entries[0] === undefined ? undefined : firstLine(entries[0].message)
  const many = `${count === 0 ? 'No' : count} matching ${count === 1 ? 'entry' : 'entries'} ${when}`
  const info = newest === undefined ? many : `${many}, the newest: ${newest}`
  // Entries that were not read may match too.
  if (!isFound && !is_whole)
    return fail(check.alert_severity, `${many}, but only the newest part was read in time`)
  return isFound === (check.fail_when === 'contains') ? fail(check.alert_severity, info) : pass(info)
}

export const entrySeries = ({ count }: FoundEntries): SeriesValue[] => [
  { name: 'entries', value: count, unit: '' },
]
