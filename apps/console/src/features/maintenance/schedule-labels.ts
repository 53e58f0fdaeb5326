import type { MaintenanceSchedule } from '@muster/contract/api/maintenance'
import { describeMonthDays, describeWeekdays, WEEK, WEEKDAYS as DAYS } from '@muster/rules/schedules/day-text'

const MINUTES_OF_DAY = 1440

/** Weekdays, Monday first. */
export const WEEKDAYS = WEEK.map((value) => ({
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
  if (recurs === 'weekly') return describeWeekdays(weekdays)
  return recurs === 'monthly' ? `On ${describeMonthDays(monthDays)} of every month` : 'Every day'
}

function count(number: number, noun: string): string {
  return number === 0 ? '' : `${number} ${noun}${number === 1 ? '' : 's'}`
}
