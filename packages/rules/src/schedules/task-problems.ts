import { scriptFitsPlatform } from '../agents/available-actions.ts'
import { parseCron } from './cron.ts'
import { isTimed, nextTaskRun, parseTimePeriod, type TaskTimes } from './task-schedule.ts'

const FIRST_YEAR = 2000
const LAST_YEAR = 2100
const MIN_INTERVAL_SECONDS = 60
const MAX_DELAY_SECONDS = 24 * 3600
const PERIOD = 'Use a number and s, m, h or d, for example 15m.'

export interface TaskProblem {
  field: string
  sentence: string
}

/** Returns the problem of a schedule as a sentence for its author. task-schedule.ts requires a valid one. */
export function findTaskProblem(times: CheckedTimes): TaskProblem | undefined {
  return listTaskProblems(times)[0]
}

/** All problems, so that each field can show its own. */
export function listTaskProblems(times: CheckedTimes): TaskProblem[] {
  if (!isTimed(times.task_type)) return []
  const problems = [
    findDateProblem(times),
    findDayProblem(times),
    findRepetitionProblem(times),
    findDelayProblem(times.random_task_delay),
    findRemovalProblem(times),
  ].filter((problem) => problem !== undefined)
  return problems.length > 0 ? problems : [findNeverProblem(times)].filter((problem) => problem !== undefined)
}

type CheckedTimes = TaskTimes & {
  random_task_delay: string | null
  /** Whether the task is deleted when no run is due any more. */
  remove_if_not_scheduled?: boolean
}

function findDateProblem({ task_type, run_time_date, expire_date }: TaskTimes): TaskProblem | undefined {
  if (run_time_date === null && task_type !== 'cron')
    return { field: 'run_time_date', sentence: 'Set the first run.' }
  if (run_time_date !== null && !isWithinYears(run_time_date)) return yearsProblem('run_time_date')
  if (expire_date === null) return undefined
  if (!isWithinYears(expire_date)) return yearsProblem('expire_date')
  if (run_time_date !== null && expire_date <= run_time_date)
    return { field: 'expire_date', sentence: 'The end is before the first run.' }
  return undefined
}

function findDayProblem(times: TaskTimes): TaskProblem | undefined {
  const { task_type } = times
  const isEmpty = (bits: number | null) => bits === null || bits === 0
  if (task_type === 'cron' && parseCron(times.cron_expression ?? '') === undefined) {
    const sentence =
      'Use minute, hour, day of the month, month and day of the week, for example 30 2 * * mon-fri.'
    return { field: 'cron_expression', sentence }
  }
  if ((task_type === 'weekly' || task_type === 'monthlydow') && isEmpty(times.run_time_bit_weekdays))
    return { field: 'run_time_bit_weekdays', sentence: 'Choose at least one day of the week.' }
  if (task_type === 'monthlydow' && isEmpty(times.monthly_weeks_of_month))
    return { field: 'monthly_weeks_of_month', sentence: 'Choose at least one week.' }
  if (task_type === 'monthly' && isEmpty(times.monthly_days_of_month))
    return { field: 'monthly_days_of_month', sentence: 'Choose at least one day of the month.' }
  if ((task_type === 'monthly' || task_type === 'monthlydow') && isEmpty(times.monthly_months_of_year))
    return { field: 'monthly_months_of_year', sentence: 'Choose at least one month.' }
  return undefined
}

function findRepetitionProblem(times: TaskTimes): TaskProblem | undefined {
  const { task_repetition_interval: interval, task_repetition_duration: duration } = times
  if (interval === null && duration === null) return undefined
  const intervalSeconds = parseTimePeriod(interval ?? '', () => {})
  const durationSeconds = parseTimePeriod(duration ?? '', () => {})
  if (intervalSeconds === 0) return { field: 'task_repetition_interval', sentence: PERIOD }
  if (durationSeconds === 0) return { field: 'task_repetition_duration', sentence: PERIOD }
  if (intervalSeconds < MIN_INTERVAL_SECONDS)
    return { field: 'task_repetition_interval', sentence: 'At least one minute.' }
  if (durationSeconds < intervalSeconds) {
    return {
      field: 'task_repetition_duration',
      sentence: 'Use at least the length of one interval.',
    }
  }
  return undefined
}

function findDelayProblem(delay: string | null): TaskProblem | undefined {
  if (delay === null) return undefined
  const seconds = parseTimePeriod(delay, () => {})
  if (seconds === 0) return { field: 'random_task_delay', sentence: PERIOD }
  if (seconds <= MAX_DELAY_SECONDS) return undefined
  return { field: 'random_task_delay', sentence: 'At most one day.' }
}

function findRemovalProblem(times: CheckedTimes): TaskProblem | undefined {
  const { remove_if_not_scheduled: isRemoved, task_type, expire_date } = times
  if (isRemoved !== true || task_type === 'runonce' || expire_date !== null) return undefined
  return { field: 'expire_date', sentence: 'Set the end. The task is deleted after it.' }
}

const NEVER_FIELDS: Partial<Record<TaskTimes['task_type'], string>> = {
  cron: 'cron_expression',
  monthly: 'monthly_days_of_month',
}

/** The zone does not matter: a date that does not exist in the calendar exists in no zone. */
function findNeverProblem(times: TaskTimes): TaskProblem | undefined {
  const from = times.run_time_date === null ? Date.UTC(2026, 0, 1) : Date.parse(`${times.run_time_date}Z`) - 1
  const endless = { ...times, expire_date: null }
  if (nextTaskRun(endless, 'UTC', from) === undefined) {
    const field = NEVER_FIELDS[times.task_type] ?? 'run_time_date'
    return { field, sentence: 'The task would never run: this day does not exist.' }
  }
  if (times.run_time_date === null || nextTaskRun(times, 'UTC', from) !== undefined) return undefined
  return { field: 'expire_date', sentence: 'The task would never run: the end is before the first run.' }
}

function isWithinYears(local: string): boolean {
  const year = Number(local.slice(0, 4))
  return year >= FIRST_YEAR && year <= LAST_YEAR
}

function yearsProblem(field: string): TaskProblem {
  return { field, sentence: `Choose a date from ${FIRST_YEAR} to ${LAST_YEAR}.` }
}

/** Policies treat tasks with the same key as the same task, of which a machine has one. The key is the name. */
export function taskKey({ name }: { name: string }): string {
  return name.trim().toLowerCase()
}

/**
 * Whether a machine of this system can run a task of a policy. `scripts`: the systems of each script; undefined if
 * the script was deleted.
 */
export function taskFitsPlatform(
  platforms: readonly string[],
  plat: string,
  scripts: readonly (readonly string[] | undefined)[],
): boolean {
  return (
    platforms.includes(plat) &&
    scripts.every((script) => script === undefined || scriptFitsPlatform(script, plat))
  )
}
