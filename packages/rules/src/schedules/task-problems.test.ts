import { expect, test } from 'vitest'
import { findTaskProblem } from './task-problems.ts'
import { nextTaskRuns, type TaskTimes } from './task-schedule.ts'

type Checked = Parameters<typeof findTaskProblem>[0]

function times(given: Partial<TaskTimes>): TaskTimes {
  return {
    task_type: 'daily',
    run_time_date: '2026-01-01T02:00',
    expire_date: null,
    daily_interval: 1,
    weekly_interval: 1,
    run_time_bit_weekdays: null,
    monthly_days_of_month: null,
    monthly_months_of_year: 4095,
    monthly_weeks_of_month: null,
    cron_expression: null,
    task_repetition_interval: null,
    task_repetition_duration: null,
    ...given,
  }
}

const cron = (cron_expression: string): Partial<TaskTimes> => ({
  task_type: 'cron',
  run_time_date: null,
  cron_expression,
})

test.each([
  [{ run_time_date: null }, 'run_time_date'],
  [{ run_time_date: '1999-01-01T00:00' }, 'run_time_date'],
  [{ expire_date: '2025-12-31T00:00' }, 'expire_date'],
  [{ task_type: 'runonce', expire_date: '2026-01-01T02:00' }, 'expire_date'],
  [{ task_type: 'weekly' }, 'run_time_bit_weekdays'],
  [{ task_type: 'monthly' }, 'monthly_days_of_month'],
  [{ task_type: 'monthly', monthly_days_of_month: 1, monthly_months_of_year: 0 }, 'monthly_months_of_year'],
  [
    { task_type: 'monthly', monthly_days_of_month: 2 ** 30, monthly_months_of_year: 2 },
    'monthly_days_of_month',
  ],
  [{ task_type: 'monthlydow', run_time_bit_weekdays: 1 }, 'monthly_weeks_of_month'],
  [cron('61 * * * *'), 'cron_expression'],
  [cron('* * * *'), 'cron_expression'],
  [cron('0 0 31 2 *'), 'cron_expression'],
  [cron('0 0 5-2 * *'), 'cron_expression'],
  [cron('*/0 * * * *'), 'cron_expression'],
  [{ task_repetition_interval: '15m' }, 'task_repetition_duration'],
  [{ task_repetition_interval: '15x', task_repetition_duration: '1h' }, 'task_repetition_interval'],
  [{ task_repetition_interval: '30s', task_repetition_duration: '1h' }, 'task_repetition_interval'],
  [{ task_repetition_interval: '2h', task_repetition_duration: '1h' }, 'task_repetition_duration'],
  [{ random_task_delay: '2d' }, 'random_task_delay'],
  [{ random_task_delay: 'x' }, 'random_task_delay'],
  [{ remove_if_not_scheduled: true }, 'expire_date'],
] as [Partial<Checked>, string][])('%j is refused at %s', (task, field) => {
  expect(findTaskProblem({ random_task_delay: null, ...times(task), ...task })?.field).toBe(field)
})

test.each([
  ['90s', 90],
  ['15m', 900],
  ['2H', 7200],
  ['1D', 86_400],
])('a task is repeated every %s, which is %i seconds', (period, seconds) => {
  const task = times({ task_repetition_interval: period, task_repetition_duration: '9d' })
  expect(findTaskProblem({ ...task, random_task_delay: period })).toBeUndefined()
  const [first = 0, second = 0] = nextTaskRuns(
    { ...task, daily_interval: 10 },
    'UTC',
    Date.UTC(2026, 0, 1),
    2,
  )
  expect((second - first) / 1000).toBe(seconds)
})

test.each(['1000s', '5', 'm', '1.5h', '5w', '-5m', '15 m', '0m'])(
  '%s is not a valid interval, duration or delay',
  (period) => {
    const problemOf = (given: Partial<Checked>) =>
      findTaskProblem({ random_task_delay: null, ...times(given), ...given })
    const sentence = 'Use a number and s, m, h or d, for example 15m.'
    const field = 'task_repetition_interval'
    expect(problemOf({ [field]: period, task_repetition_duration: '1d' })).toEqual({ field, sentence })
    const other = 'task_repetition_duration'
    expect(problemOf({ [field]: '15m', [other]: period })).toEqual({ field: other, sentence })
    const delay = 'random_task_delay'
    expect(problemOf({ [delay]: period })).toEqual({ field: delay, sentence })
  },
)
