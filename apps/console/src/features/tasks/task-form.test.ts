import { TASK_DEFAULTS, type TaskFields } from '@muster/contract/api/tasks'
import { expect, test } from 'vitest'
import { checkTaskForm, newTaskForm, readTaskForm, type TaskForm, toTask } from './task-form.ts'

const NOW = Date.parse('2026-03-01T22:30:00Z')
const ZONE = 'Europe/Zurich'

const whole: TaskFields = {
  ...TASK_DEFAULTS,
  name: 'Nightly',
  task_type: 'monthlydow',
  run_time_date: '2026-03-01T02:00',
  expire_date: '2027-03-01T02:00',
  run_time_bit_weekdays: 1 + 64,
  monthly_days_of_month: 1 + 2 ** 30 + 0x80000000,
  monthly_months_of_year: 4095,
  monthly_weeks_of_month: 16,
  task_repetition_interval: '15m',
  task_repetition_duration: '1h',
  random_task_delay: '5m',
  custom_field: 7,
  remove_if_not_scheduled: true,
  collector_all_output: true,
  actions: [
    { type: 'script', script: 3, name: '', script_args: ['a b'], env_vars: ['A=b'], timeout: 90 },
    { type: 'cmd', command: 'true', shell: 'custom', custom_shell: '/bin/zsh', timeout: 30 },
  ],
}

const form = (more: Partial<TaskForm> = {}): TaskForm => {
  const start = newTaskForm('sh', ZONE, NOW)
  const [action] = start.actions
  return { ...start, name: 'Nightly', actions: [{ ...action!, command: 'true' }], ...more } // A new form has one.
}
const errorsOf = (more: Partial<TaskForm>) =>
  Object.entries(checkTaskForm(form(more), { zone: ZONE, mayBePast: false, nowMs: NOW }))
    .filter(([, message]) => message !== null)
    .map(([name]) => name)

test('a task goes through the form unchanged', () => {
  expect(toTask(readTaskForm(whole))).toEqual(whole)
})

test('a new task begins in the coming night by the clock of its machine', () => {
  // 23:30 in Zurich, and already the next day in Tokyo.
  expect(newTaskForm('sh', ZONE, NOW).run_time_date).toBe('2026-03-02T02:00')
  expect(newTaskForm('sh', 'Asia/Tokyo', NOW).run_time_date).toBe('2026-03-03T02:00')
  expect(errorsOf({})).toEqual([])
})

test.each([
  [{ name: ' ' }, ['name']],
  [{ actions: [] }, ['actions']],
  [{ run_time_date: '' }, ['run_time_date']],
  [{ task_type: 'weekly', run_time_bit_weekdays: [] }, ['run_time_bit_weekdays']],
  [{ task_type: 'monthly', monthly_days_of_month: '1, 32' }, ['monthly_days_of_month']],
  [{ task_type: 'monthly', monthly_days_of_month: '' }, ['monthly_days_of_month']],
  [{ task_type: 'monthly', monthly_months_of_year: [] }, ['monthly_months_of_year']],
  [{ task_type: 'cron' }, ['cron_expression']],
  [{ task_type: 'cron', cron_expression: '0 2 * * *', run_time_date: '' }, []],
  [{ task_type: 'checkfailure' }, ['assigned_check']],
  [{ task_type: 'runonce', run_time_date: '2026-03-01T23:00' }, ['run_time_date']],
  [{ task_type: 'runonce', run_time_date: '2026-03-01T23:45' }, []],
  [{ daily_interval: '' }, ['daily_interval']],
  [{ task_repetition_interval: '15m' }, ['task_repetition_duration']],
  [{ task_repetition_interval: '15m', task_repetition_duration: '5m' }, ['task_repetition_duration']],
  [{ random_task_delay: '5 minutes' }, ['random_task_delay']],
  [{ remove_if_not_scheduled: true }, ['expire_date']],
  [{ remove_if_not_scheduled: true, expire_date: '2027-01-01T00:00' }, []],
] as [Partial<TaskForm>, string[]][])('%j: %j', (more, fields) => {
  expect(errorsOf(more)).toEqual(fields)
})
