import {
  type CheckRule,
  type EntriesToJudge,
  entrySeries,
  type FoundEntries,
  judgeEntries,
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
