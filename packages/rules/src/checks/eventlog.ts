import { type EntriesToJudge, entrySeries, type FoundEntries, judgeEntries } from './judge-entries.ts'
import type { CheckRule } from './check-rule.ts'

/** 0 days = the whole log. */
type EventLogCheck = EntriesToJudge & { search_last_days: number }

export const eventlog: CheckRule<EventLogCheck, FoundEntries> = {
  judge(check, found) {
    const { search_last_days: days } = check
    return judgeEntries(check, found, days === 0 ? 'in the whole log' : `in the last ${days} d`)
  },
  series: entrySeries,
}
