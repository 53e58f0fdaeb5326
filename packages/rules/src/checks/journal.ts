import { formatDuration } from '../text/duration.ts'
import { type EntriesToJudge, entrySeries, type FoundEntries, judgeEntries } from './judge-entries.ts'
import type { CheckRule } from './check-rule.ts'

type JournalCheck = EntriesToJudge & { search_last_minutes: number }

export const journal: CheckRule<JournalCheck, FoundEntries> = {
  judge: (check, found) =>
    judgeEntries(check, found, `in the last ${formatDuration(check.search_last_minutes * 60)}`),
  series: entrySeries,
}
