import { type Cron, parseCron } from './cron.ts'
import { describeMonthDays, describeWeekdays, listed, MONTHS } from './day-text.ts'

/** Longer lists are harder to read than the expression. */
const MAX_LISTED = 4

/** `Monday to Friday at 02:30`; undefined if the expression has no simple words. */
export function describeCron(text: string): string | undefined {
  const cron = parseCron(text)
  if (cron === undefined) return undefined
  const days = describeDays(cron)
  const times = describeTimes(cron)
  if (days === undefined || times === undefined) return undefined
  if (times.startsWith('at ')) return `${days} ${times}`
  return days === 'Every day' ? times : undefined
}

function describeDays({ days, months, weekdays, eitherDay }: Cron): string | undefined {
  const isEveryMonth = months.size === 12
  if (days.size === 31) return isEveryMonth ? describeWeekdays([...weekdays]) : undefined
  if (eitherDay || weekdays.size < 7 || days.size > MAX_LISTED) return undefined
  if (!isEveryMonth && months.size > MAX_LISTED) return undefined
  const when = isEveryMonth ? 'every month' : listed([...months].map((month) => MONTHS[month - 1] ?? ''))
  return `On ${describeMonthDays([...days])} of ${when}`
}

function describeTimes({ hours, minutes }: Cron): string | undefined {
  const [minute = 0] = minutes
  if (minutes.length === 1 && hours.length <= MAX_LISTED)
    return `at ${listed(hours.map((hour) => `${twoDigits(hour)}:${twoDigits(minute)}`))}`
  if (minutes.length === 1) {
    const step = stepOf(hours, 24)
    const past = minute === 0 ? '' : ` at minute ${minute}`
    return step === undefined ? undefined : `${step === 1 ? 'Every hour' : `Every ${step} hours`}${past}`
  }
  const step = stepOf(minutes, 60)
  if (hours.length < 24 || step === undefined) return undefined
  return step === 1 ? 'Every minute' : `Every ${step} minutes`
}

/** The distance of numbers that divide a day or an hour evenly from its start. */
function stepOf(numbers: readonly number[], whole: number): number | undefined {
  const step = whole / numbers.length
  return numbers.every((number, index) => number === index * step) ? step : undefined
}

const twoDigits = (number: number) => `${number}`.padStart(2, '0')
