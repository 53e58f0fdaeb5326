import { describeCron } from './cron-text.ts'
import { describeMonthDays, listed, MONTHS, WEEKDAYS } from './day-text.ts'
import { LAST_DAY_BIT, type TaskTimes } from './task-schedule.ts'

const WEEKS = ['first', 'second', 'third', 'fourth', 'last']
const ALL_MONTHS = 4095

/** `Every 2 weeks on Monday and Friday at 02:00`. */
export function describeTask(times: TaskTimes): string {
  const [date = '', clock = ''] = (times.run_time_date ?? '').split('T')
  const time = clock.slice(0, 5)
  const end = times.expire_date === null ? '' : `, until ${times.expire_date.slice(0, 16).replace('T', ' ')}`
  const { task_repetition_interval: interval, task_repetition_duration: duration } = times
  const again = interval === null || duration === null ? '' : `, then every ${interval} for ${duration}`
  const tail = `${again}${end}`
  switch (times.task_type) {
    case 'daily':
      return `${every(times.daily_interval, 'day')} at ${time}${tail}`
    case 'weekly':
      return `${every(times.weekly_interval, 'week')} on ${weekdays(times)} at ${time}${tail}`
    case 'monthly':
      return `On ${monthDays(times.monthly_days_of_month ?? 0)} ${months(times)} at ${time}${tail}`
    case 'monthlydow':
      return `On the ${listed(named(WEEKS, times.monthly_weeks_of_month))} ${weekdays(times)} ${months(times)} at ${time}${tail}`
    case 'runonce':
      return `Once on ${date} at ${time}${tail}`
    case 'cron':
      return `${cron(times.cron_expression ?? '')}${end}`
    case 'checkfailure':
      return 'When its check fails'
    case 'startup':
      return 'When the machine starts'
    case 'onboarding':
      return 'Once, when the machine receives it'
    case 'manual':
      return 'Only manually'
  }
}

/** `Every Monday at 03:00 (0 3 * * 1)`. */
function cron(expression: string): string {
  const words = describeCron(expression)
  return words === undefined ? `By the cron expression ${expression}` : `${words} (${expression})`
}

function every(count: number, noun: string): string {
  return count === 1 ? `Every ${noun}` : `Every ${count} ${noun}s`
}

function weekdays({ run_time_bit_weekdays: bits }: TaskTimes): string {
  return listed(named(WEEKDAYS, bits))
}

function months({ monthly_months_of_year: bits }: TaskTimes): string {
  return bits === ALL_MONTHS ? 'of every month' : `of ${listed(named(MONTHS, bits))}`
}

function monthDays(bits: number): string {
  const days = Array.from({ length: 31 }, (_, index) => index + 1).filter(
    (day) => (bits & (1 << (day - 1))) !== 0,
  )
  return describeMonthDays(bits >= LAST_DAY_BIT ? [...days, -1] : days)
}

function named(names: readonly string[], bits: number | null): string[] {
  return names.filter((_, index) => ((bits ?? 0) & (1 << index)) !== 0)
}
