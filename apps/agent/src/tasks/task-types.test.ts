import type { TaskSchedule } from '@muster/contract/agent/tasks'
import { expect, onTestFinished, test, vi } from 'vitest'
import { givenTask } from '../testing/given-tasks.ts'
import { isSameBoot, readBootMark } from '../os/node-os.ts'
import { TaskClock } from './task-clock.ts'

const MINUTE_MS = 60_000

interface ClockOptions {
  from: string
  to: string
  zone?: () => string
  run_asap_after_missed?: boolean
}

/** A machine whose clock runs from `from`; returns the runs of its task until `to`, in local time. */
function runsOf(schedule: Partial<TaskSchedule>, more: ClockOptions) {
  const { from, to, zone = () => 'Europe/Zurich', run_asap_after_missed = false } = more
  vi.useFakeTimers({ now: Date.parse(from) })
  onTestFinished(() => void vi.useRealTimers())
  const runs: string[] = []
  using clock = new TaskClock({
    now: Date.now,
    zone,
    seed: 'seed',
    onDue: ({ run, missed }) => {
      if (run !== undefined) runs.push(`${run.trigger} ${new Date().toISOString().slice(5, 16)}`)
      if (missed !== undefined) runs.push(`${missed.count} missed`)
    },
  })
  const task = givenTask(schedule, { counts_from: from, run_asap_after_missed })
  clock.plan([{ ...task, handledMs: null, onboarded: false }])
  vi.advanceTimersByTime(Date.parse(to) - Date.parse(from))
  return runs
}

const AT_TWO = { run_time_date: '2026-01-01T02:00' } as const
// The clocks of the machine go from 02:00 to 03:00 on March 29.
test.each<[string, Partial<TaskSchedule>, string[]]>([
  ['daily', { ...AT_TWO, task_type: 'daily' }, ['03-28T01:00', '03-29T01:00', '03-30T00:00', '03-31T00:00']],
  [
    'weekly',
    { ...AT_TWO, task_type: 'weekly', run_time_bit_weekdays: 2 + 4 },
    ['03-30T00:00', '03-31T00:00'],
  ],
  [
    'monthly by days',
    {
      ...AT_TWO,
      task_type: 'monthly',
      monthly_days_of_month: 2 ** 28 + 0x80000000,
      monthly_months_of_year: 4,
    },
    ['03-29T01:00', '03-31T00:00'],
  ],
  [
    'monthly by weekdays',
    {
      ...AT_TWO,
      task_type: 'monthlydow',
      monthly_weeks_of_month: 16,
      run_time_bit_weekdays: 64,
      monthly_months_of_year: 4095,
    },
    ['03-28T01:00'],
  ],
  ['run once', { task_type: 'runonce', run_time_date: '2026-03-30T04:15' }, ['03-30T02:15']],
  [
    'cron expression',
    { task_type: 'cron', cron_expression: '45 3 28-30 * *' },
    ['03-28T02:45', '03-29T01:45', '03-30T01:45'],
  ],
  [
    'repetition',
    {
      task_type: 'runonce',
      run_time_date: '2026-03-30T04:00',
      task_repetition_interval: '20m',
      task_repetition_duration: '1h',
    },
    ['03-30T02:00', '03-30T02:20', '03-30T02:40'],
  ],
  [
    'expiry',
    { ...AT_TWO, task_type: 'daily', expire_date: '2026-03-29T12:00' },
    ['03-28T01:00', '03-29T01:00'],
  ],
  ['on check failure', { task_type: 'checkfailure' }, []],
  ['manual', { task_type: 'manual' }, []],
])('the agent schedules by its own clock: %s', (_, schedule, runs) => {
  const found = runsOf(schedule, { from: '2026-03-28T00:00:00Z', to: '2026-03-31T12:00:00Z' })
  expect(found).toEqual(runs.map((at) => `schedule ${at}`))
})

test('a machine whose zone has no name runs tasks by its offset', () => {
  const zone = () => '+05:45'
  const runs = runsOf(
    { ...AT_TWO, task_type: 'daily' },
    { from: '2026-06-01T12:00:00Z', to: '2026-06-03T12:00:00Z', zone },
  )
  expect(runs).toEqual(['schedule 06-01T20:15', 'schedule 06-02T20:15'])
})

test('a machine that moves west does not run a task twice on one day', () => {
  const moved = Date.parse('2026-06-02T12:00:00Z')
  const zone = () => (Date.now() < moved ? 'Europe/Zurich' : 'America/New_York')
  const [from, to] = ['2026-06-01T12:00:00Z', '2026-06-03T12:00:00Z']
  const runs = runsOf({ ...AT_TWO, task_type: 'daily' }, { from, to, zone })
  expect(runs).toEqual(['schedule 06-02T00:00', 'schedule 06-03T06:00'])
})

test('a machine that moves east catches up the run of the day', () => {
  const moved = Date.parse('2026-06-02T04:30:00Z')
  const zone = () => (Date.now() < moved ? 'America/New_York' : 'Europe/Zurich')
  const schedule = { ...AT_TWO, task_type: 'daily' } as const
  const [from, to] = ['2026-06-01T04:00:00Z', '2026-06-03T12:00:00Z']
  expect(runsOf(schedule, { from, to, zone, run_asap_after_missed: true })).toEqual([
    'schedule 06-01T06:00',
    'missed 06-02T04:30',
    'schedule 06-03T00:00',
  ])
})

test('a random delay is within the limit, and differs between machines', () => {
  const schedule = { ...AT_TWO, task_type: 'daily', random_task_delay: '30m' } as const
  const [run = ''] = runsOf(schedule, { from: '2026-06-01T12:00:00Z', to: '2026-06-02T12:00:00Z' })
  const lateMs = Date.parse(`2026-${run.slice(-11)}Z`) - Date.parse('2026-06-02T00:00Z')
  expect(lateMs).toBeGreaterThanOrEqual(0)
  expect(lateMs).toBeLessThanOrEqual(30 * MINUTE_MS)
})

test('without a boot id of the system, the boot time identifies the boot', () => {
  expect(isSameBoot(readBootMark(), readBootMark())).toBe(true)
  // Seconds since 1970, as on Windows and macOS; the clock was corrected by a minute.
  expect(isSameBoot('1772000000', '1772000060')).toBe(true)
  expect(isSameBoot('1772000000', '1772000400')).toBe(false)
  expect(isSameBoot('1c0e0f5a-one', '1c0e0f5a-two')).toBe(false)
})
