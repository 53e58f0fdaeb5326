import { formatDuration } from '../text/units.ts'
import {
  type CheckRule,
  type EntriesToJudge,
  entrySeries,
  type FoundEntries,
  judgeEntries,
} from './judgement.ts'

type JournalCheck = EntriesToJudge & { search_last_minutes: number }

export const journal: CheckRule<JournalCheck, FoundEntries> = {
  judge: (check, found) =>
    judgeEntries(check, found, `in the last ${formatDuration(check.search_last_minutes * 60)}`),
  series: entrySeries,
}
