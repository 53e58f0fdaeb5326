export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
/** Monday first; 0 = Sunday. */
export const WEEK = [1, 2, 3, 4, 5, 6, 0]

/** `Every day`, `Monday to Friday`, `Every Monday and Sunday`. */
export function describeWeekdays(weekdays: readonly number[]): string {
  const chosen = WEEK.filter((day) => weekdays.includes(day))
  if (chosen.length === 7) return 'Every day'
  if (chosen.join() === '1,2,3,4,5') return 'Monday to Friday'
  return `Every ${listed(chosen.map((day) => WEEKDAYS[day] ?? ''))}`
}

/** `the 1st, the 22nd and the last day`; -1 = the last day. */
export function describeMonthDays(days: readonly number[]): string {
  const numbered = days.filter((day) => day > 0).toSorted((a, b) => a - b)
  const words = numbered.map((day) => `the ${ordinal(day)}`)
  return listed(days.includes(-1) ? [...words, 'the last day'] : words)
}

/** `a, b and c`. */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

function ordinal(day: number): string {
  const isTeen = day > 10 && day < 14
  const ending = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th')
  return `${day}${ending}`
}
