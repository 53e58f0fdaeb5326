import type { MaintenanceSchedule } from '@muster/contract/api/maintenance'

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MINUTES_OF_DAY = 1440

/** Weekdays, Monday first. */
export const WEEKDAYS = [1, 2, 3, 4, 5, 6, 0].map((value) => ({
  value: `${value}`,
  label: DAYS[value] ?? '',
}))

/** `Every Sunday at 02:00 for 2 hours (Europe/Zurich)`. */
export function describeSchedule(schedule: MaintenanceSchedule): string {
  const { recurs, starts, minutes, time_zone: zone, until } = schedule
  const length = minutes === null ? 'with no end time' : `for ${describeLength(minutes)}`
  if (recurs === 'once') return `Once, ${length}`
  const [, time = ''] = starts.split('T')
  const end = until === null ? '' : `, not after ${until.replace('T', ' ')}`
  return `${describeDays(schedule)} at ${time} ${length}${end} (${zone})`
}

/** `1 day 2 hours`. */
export function describeLength(minutes: number): string {
  const parts = [
    count(Math.floor(minutes / MINUTES_OF_DAY), 'day'),
    count(Math.floor((minutes % MINUTES_OF_DAY) / 60), 'hour'),
    count(minutes % 60, 'minute'),
  ]
  return parts.filter(Boolean).join(' ')
}

function describeDays({ recurs, weekdays, month_days: monthDays }: MaintenanceSchedule): string {
  if (recurs === 'weekly') {
    const chosen = WEEKDAYS.filter(({ value }) => weekdays.includes(Number(value)))
    if (chosen.length === 7) return 'Every day'
    const isWorkWeek = chosen.length === 5 && !weekdays.includes(0) && !weekdays.includes(6)
    return isWorkWeek ? 'Monday to Friday' : `Every ${listed(chosen.map(({ label }) => label))}`
  }
  if (recurs === 'monthly') {
    const numbered = monthDays.filter((day) => day > 0).toSorted((a, b) => a - b)
    const days = numbered.map((day) => `the ${ordinal(day)}`)
    return `On ${listed(monthDays.includes(-1) ? [...days, 'the last day'] : days)} of every month`
  }
  return 'Every day'
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

function ordinal(day: number): string {
  const isTeen = day > 10 && day < 14
  const ending = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th')
  return `${day}${ending}`
}

function count(number: number, noun: string): string {
  return number === 0 ? '' : `${number} ${noun}${number === 1 ? '' : 's'}`
}
