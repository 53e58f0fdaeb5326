import { describe, expect, test } from 'vitest'
import { diskLeft } from './resources.ts'
import { type CheckToJudge, judgeCheck, type MeasuredValues } from './table.ts'

const GB = 1024 ** 3
const MB = 1024 ** 2

const disk = (more = {}): CheckToJudge => ({
  check_type: 'diskspace',
  disk: '/srv',
  threshold_unit: 'percent',
  warning_threshold: 25,
  error_threshold: 10,
  ...more,
})
const space = (more = {}): MeasuredValues => ({
  check_type: 'diskspace',
  exists: true,
  total_bytes: 100 * GB,
  free_bytes: 50 * GB,
  inodes_total: 1000,
  inodes_free: 600,
  ...more,
})
const verdict = (check: CheckToJudge, measured: MeasuredValues) => {
  const { passing, severity } = judgeCheck(check, measured)
  expect(passing).toBe(severity === null)
  return severity ?? 'passes'
}

const usable = { total_bytes: 100 * GB, used_bytes: 20 * GB }

test('free space is a share of what programs can use, as in df', () => {
  expect(judgeCheck(disk(), space({ ...usable, free_bytes: 60 * GB })).more_info).toBe(
    '60 GB of 80 GB free (75 %)',
  )
  expect(verdict(disk({ warning_threshold: 70 }), space({ ...usable, free_bytes: 60 * GB }))).toBe('passes')
  expect(verdict(disk({ warning_threshold: 80 }), space({ ...usable, free_bytes: 60 * GB }))).toBe('warning')
})

test.each([
  ['percent', disk(), space({ free_bytes: 9.96 * GB }), '9.96 GB of 100 GB free (9.96 %)'],
  ['a hair below', disk(), space({ free_bytes: 10 * GB - 1 }), '10 GB of 100 GB free (9.999999 %)'],
  [
    'gigabytes',
    disk({ threshold_unit: 'gigabytes' }),
    space({ total_bytes: 200 * GB, free_bytes: 9.998 * GB }),
    '9.998 GB of 200 GB free (5 %)',
  ],
  [
    'inodes',
    disk({ threshold_unit: 'inodes' }),
    space({ inodes_total: 1e5, inodes_free: 9996 }),
    '9.996 % of the inodes are free',
  ],
  [
    'load',
    { check_type: 'cpuload', warning_threshold: 70, error_threshold: 90 },
    { check_type: 'cpuload', percent: 90.04 },
    '90.04 % in use on average',
  ],
  [
    'milliseconds',
    { check_type: 'tcp', port: 22, warning_threshold: 100, error_threshold: 0, alert_severity: 'error' },
    { check_type: 'tcp', reason: '', ms: 100.4 },
    'Port 22 responds in 100.4 ms',
  ],
  [
    'the memory of a process',
    {
      check_type: 'process',
      process_name: 'x',
      expect: 'running',
      max_memory_mb: 50,
      alert_severity: 'error',
    },
    { check_type: 'process', count: 1, memory_bytes: 50.01 * MB },
    '1 process named x, 50.01 MB',
  ],
  [
    'the size of a file',
    {
      check_type: 'file',
      path: '/x',
      expect: 'exists',
      max_age_minutes: 0,
      max_size_mb: 1,
      alert_severity: 'error',
    },
    { check_type: 'file', exists: true, size_bytes: 1.001 * MB, age_seconds: 60 },
    '1.001 MB, changed 1 min ago',
  ],
] as [string, CheckToJudge, MeasuredValues, string][])(
  'a failing value is visibly beyond its threshold: %s',
  (_, check, measured, text) => {
    expect(judgeCheck(check, measured)).toMatchObject({ passing: false, more_info: text })
  },
)

test.each([
  [
    'a small disk',
    disk(),
    space({ total_bytes: 50 * MB, free_bytes: 50 * MB }),
    '50 MB of 50 MB free (100 %)',
  ],
  [
    'a large disk',
    disk(),
    space({ total_bytes: 20.5 * 1024 * GB, free_bytes: 8.125 * 1024 * GB }),
    '8.13 TB of 20.5 TB free (39.6 %)',
  ],
  [
    'a small memory',
    { check_type: 'memory', memory_kind: 'memory', warning_threshold: 0, error_threshold: 0 },
    { check_type: 'memory', percent: 50, total_bytes: 512 * MB, swap_percent: null },
    '50 % of 512 MB in use',
  ],
  [
    'a small file',
    {
      check_type: 'file',
      path: '/x',
      expect: 'exists',
      max_age_minutes: 0,
      max_size_mb: 0,
      alert_severity: 'error',
    },
    { check_type: 'file', exists: true, size_bytes: 12, age_seconds: 60 },
    '12 B, changed 1 min ago',
  ],
  [
    'a large process',
    {
      check_type: 'process',
      process_name: 'x',
      expect: 'running',
      max_memory_mb: 0,
      alert_severity: 'error',
    },
    { check_type: 'process', count: 1, memory_bytes: 2.5 * GB },
    '1 process named x, 2.5 GB',
  ],
] as [string, CheckToJudge, MeasuredValues, string][])(
  'sizes have a unit that fits: %s',
  (_, check, measured, text) => {
    expect(judgeCheck(check, measured).more_info).toBe(text)
  },
)

test('a check of every disk names the fullest one', () => {
  const check = disk({ disk: '*' })
  expect(judgeCheck(check, space({ disk: '/srv' })).more_info).toMatch(/^\/srv: 50.* free \(50 %\)$/)
  expect(judgeCheck(check, space({ disk: '/srv', free_bytes: GB })).severity).toBe('error')
})

describe('disk space is free space', () => {
  test.each([
    ['half is free', {}, {}, 'passes'],
    ['exactly the warning threshold', {}, { free_bytes: 25 * GB }, 'passes'],
    ['just below the warning threshold', {}, { free_bytes: 25 * GB - 1 }, 'warning'],
    ['exactly the error threshold', {}, { free_bytes: 10 * GB }, 'warning'],
    ['just below the error threshold', {}, { free_bytes: 10 * GB - 1 }, 'error'],
    ['full', {}, { free_bytes: 0 }, 'error'],
    ['full, without thresholds', { warning_threshold: 0, error_threshold: 0 }, { free_bytes: 0 }, 'passes'],
    ['full, with a warning only', { error_threshold: 0 }, { free_bytes: 0 }, 'warning'],
    ['a little left, with an error only', { warning_threshold: 0 }, { free_bytes: GB }, 'error'],
    ['gigabytes', { threshold_unit: 'gigabytes', warning_threshold: 60 }, {}, 'warning'],
    ['enough gigabytes', { threshold_unit: 'gigabytes', warning_threshold: 40 }, {}, 'passes'],
    ['inodes', { threshold_unit: 'inodes' }, { inodes_free: 90 }, 'error'],
    [
      'a disk that counts no inodes',
      { threshold_unit: 'inodes' },
      { inodes_total: null, inodes_free: null },
      'error',
    ],
    [
      'a disk that is gone',
      { warning_threshold: 0 },
      { exists: false, total_bytes: 0, free_bytes: 0 },
      'error',
    ],
    ['a disk of no size', {}, { total_bytes: 0, free_bytes: 0 }, 'error'],
  ])('%s', (_, check, measured, expected) => {
    expect(verdict(disk(check), space(measured))).toBe(expected)
  })

  test('the message contains the free space', () => {
    expect(judgeCheck(disk(), space()).more_info).toBe('50 GB of 100 GB free (50 %)')
    expect(judgeCheck(disk({ disk: '/proc' }), space({ total_bytes: 0, free_bytes: 0 })).more_info).toBe(
      '/proc is no disk: it has no space of its own.',
    )
    expect(judgeCheck(disk({ threshold_unit: 'inodes' }), space()).more_info).toBe(
      '60 % of the inodes are free',
    )
    expect(judgeCheck(disk(), space({ exists: false })).more_info).toBe('Disk /srv does not exist.')
    expect(judgeCheck(disk(), space({ exists: false, is_on: '/' })).more_info).toBe(
      '/srv is not a mount point; it is on /',
    )
    expect(judgeCheck(disk(), space({ exists: false, is_on: '/', link_to: '/home/srv' })).more_info).toBe(
      '/srv is a link to /home/srv, which is not a mount point; it is on /',
    )
    expect(judgeCheck(disk(), space({ link_to: '/mnt/real' })).more_info).toBe(
      'link to /mnt/real: 50 GB of 100 GB free (50 %)',
    )
  })

  test('a full disk fails once, and not for each link to it', () => {
    const full = space({ free_bytes: GB, link_to: '/mnt/real', has_other_check: true })
    expect(judgeCheck(disk(), full)).toEqual({
      passing: true,
      severity: null,
      more_info: '/srv is a link to /mnt/real; checked by another check',
    })
  })

  test('free space has the unit of the thresholds', () => {
    const measured = { total_bytes: 200 * GB, free_bytes: 50 * GB, inodes_total: 10, inodes_free: 1 }
    expect(diskLeft('percent', measured)).toBe(25)
    expect(diskLeft('gigabytes', measured)).toBe(50)
    expect(diskLeft('inodes', measured)).toBe(10)
    expect(diskLeft('inodes', { ...measured, inodes_total: null })).toBeUndefined()
  })
})

test.each([
  [70, 90, 70, 'passes'],
  [70, 90, 70.1, 'warning'],
  [70, 90, 90, 'warning'],
  [70, 90, 90.1, 'error'],
  [0, 90, 80, 'passes'],
  [0, 90, 95, 'error'],
  [70, 0, 100, 'warning'],
  [0, 0, 100, 'passes'],
])('load with warning %d and error %d at %d', (warning_threshold, error_threshold, percent, expected) => {
  const thresholds = { warning_threshold, error_threshold }
  expect(verdict({ check_type: 'cpuload', ...thresholds }, { check_type: 'cpuload', percent })).toBe(expected)
  const measured = { check_type: 'memory', percent, total_bytes: 8 * GB, swap_percent: 0 } as const
  expect(verdict({ check_type: 'memory', memory_kind: 'memory', ...thresholds }, measured)).toBe(expected)
  const swap = { ...measured, percent: 0, swap_percent: percent }
  expect(verdict({ check_type: 'memory', memory_kind: 'swap', ...thresholds }, swap)).toBe(expected)
})

test('a check of every disk fails for a disk that was not measured', () => {
  const unmeasured = [{ disk: '/srv', reason: 'The disk does not respond.' }]
  expect(judgeCheck(disk({ disk: '*' }), space({ disk: '/', unmeasured }))).toEqual({
    passing: false,
    severity: 'error',
    more_info: '/srv was not measured: The disk does not respond.',
  })
  expect(verdict(disk({ disk: '*', error_threshold: 0 }), space({ disk: '/', unmeasured }))).toBe('warning')
})

test('a machine without swap passes a swap check', () => {
  const check = {
    check_type: 'memory',
    memory_kind: 'swap',
    warning_threshold: 1,
    error_threshold: 2,
  } as const
  const measured = { check_type: 'memory', percent: 99, total_bytes: GB, swap_percent: null } as const
  expect(judgeCheck(check, measured)).toEqual({
    passing: true,
    severity: null,
    more_info: 'No swap.',
  })
})

describe('ping', () => {
  const check = { check_type: 'ping', alert_severity: 'warning' } as const
  const ping = (sent: number, received: number, more = {}): MeasuredValues => ({
    check_type: 'ping',
    sent,
    received,
    ms: received === 0 ? null : 12.34,
    ...more,
  })
  test.each([
    [ping(3, 3), 'passes', '3 of 3 packets received, 12.3 ms on average'],
    [ping(3, 2), 'warning', '2 of 3 packets received, 12.3 ms on average'],
    [ping(3, 0), 'warning', '0 of 3 packets received'],
    [ping(0, 0), 'warning', 'Failed to send packets.'],
    [ping(0, 0, { output: '\nping: nowhere: unknown\n' }), 'warning', 'ping: nowhere: unknown'],
  ])('%o', (measured, expected, words) => {
    expect(verdict(check, measured)).toBe(expected)
    expect(judgeCheck(check, measured).more_info).toBe(words)
  })
})

describe('a service', () => {
  const check = (more = {}): CheckToJudge => ({
    check_type: 'service',
    svc_name: 'cron',
    pass_if_start_pending: false,
    pass_if_svc_not_exist: false,
    alert_severity: 'error',
    ...more,
  })
  type State = Extract<MeasuredValues, { check_type: 'service' }>['state']
  const service = (state: State, restarted = false): MeasuredValues => ({
    check_type: 'service',
    state,
    restarted,
  })
  test.each([
    ['running', {}, 'passes'],
    ['start_pending', {}, 'error'],
    ['start_pending', { pass_if_start_pending: true }, 'passes'],
    ['stopped', { pass_if_start_pending: true, pass_if_svc_not_exist: true }, 'error'],
    ['failed', { alert_severity: 'info' }, 'info'],
    ['missing', {}, 'error'],
    ['missing', { pass_if_svc_not_exist: true }, 'passes'],
  ] as const)('that is %s, with %o', (state, more, expected) => {
    expect(verdict(check(more), service(state))).toBe(expected)
  })
  test('that was restarted passes and reports that', () => {
    expect(judgeCheck(check(), service('running', true))).toEqual({
      passing: true,
      severity: null,
      more_info: 'cron runs, after a restart',
    })
  })
})

describe('a script', () => {
  const check = (more = {}): CheckToJudge => ({
    check_type: 'script',
    info_return_codes: [],
    warning_return_codes: [],
    success_return_codes: [],
    metric_thresholds: [],
    ...more,
  })
  const ran = (more = {}): MeasuredValues => ({
    check_type: 'script',
    outcome: 'exited',
    retcode: 0,
    stdout: 'metric a=1\n\n  all is well  \nmore',
    stderr: '',
    metrics: [],
    ...more,
  })
  test.each([
    [{}, {}, 'passes'],
    [{}, { retcode: 1 }, 'error'],
    [{ success_return_codes: [7] }, { retcode: 7 }, 'passes'],
    [{ success_return_codes: [7] }, { retcode: 0 }, 'passes'],
    [{ warning_return_codes: [2] }, { retcode: 2 }, 'warning'],
    [{ info_return_codes: [3] }, { retcode: 3 }, 'info'],
    [{ warning_return_codes: [0] }, { retcode: 0 }, 'warning'],
    [{ info_return_codes: [5], success_return_codes: [5] }, { retcode: 5 }, 'info'],
    [{ success_return_codes: [0] }, { outcome: 'timed_out', retcode: null }, 'error'],
    [{}, { outcome: 'failed', retcode: null, stderr: 'cannot start' }, 'error'],
  ])('with %o that ended %o', (codes, end, expected) => {
    expect(verdict(check(codes), ran(end))).toBe(expected)
  })

  const threshold = { name: 'queue', warning_threshold: 10, error_threshold: 20, reverse: false }
  const queue = (value: number) => ({ metrics: [{ name: 'queue', value, unit: 'jobs' }] })
  test.each([
    [{}, queue(5), 'passes'],
    [{}, queue(15), 'warning'],
    [{}, queue(25), 'error'],
    [{ reverse: true, warning_threshold: 20, error_threshold: 10 }, queue(15), 'warning'],
    [{ name: 'other' }, queue(99), 'error'],
    [{ name: 'other', error_threshold: null }, queue(99), 'warning'],
    [{ warning_threshold: null, error_threshold: 0 }, queue(1), 'error'],
    [{ warning_threshold: null, error_threshold: 0 }, queue(0), 'passes'],
    [{ warning_threshold: -15, error_threshold: null }, queue(-14), 'warning'],
    [{ warning_threshold: -15, error_threshold: null }, queue(-18), 'passes'],
    [{ reverse: true, warning_threshold: 0, error_threshold: -5 }, queue(-1), 'warning'],
    [{}, { retcode: 1, ...queue(15) }, 'error'],
  ])('whose metrics have the thresholds %o, with %o', (more, measured, expected) => {
    expect(verdict(check({ metric_thresholds: [{ ...threshold, ...more }] }), ran(measured))).toBe(expected)
  })

  const bad_metric_lines = [{ line: 1, text: 'metric queue=1,500 jobs' }]
  test('fails where a threshold has no value, and shows the line that is no metric', () => {
    const watched = check({ metric_thresholds: [threshold] })
    expect(judgeCheck(watched, ran()).more_info).toBe(
      'queue has no value. Let the script print a line "metric queue=VALUE".',
    )
    expect(judgeCheck(watched, ran({ bad_metric_lines })).more_info).toBe(
      'queue has no value: line 1 is no metric: "metric queue=1,500 jobs". Use a decimal point, and nothing but a unit after the number.',
    )
    const many = Array.from({ length: 20 }, (_, index) => ({ name: `m${index}`, value: 1, unit: '' }))
    expect(judgeCheck(watched, ran({ metrics: many })).more_info).toBe(
      'queue has no value: only the first 20 metrics are read.',
    )
  })

  test('shows a line that is no metric where nothing depends on it', () => {
    expect(judgeCheck(check(), ran({ bad_metric_lines }))).toEqual({
      passing: true,
      severity: null,
      more_info: 'all is well (line 1 is no metric: "metric queue=1,500 jobs")',
    })
  })

  test('is judged by every threshold of a metric', () => {
    const low = { ...threshold, reverse: true, warning_threshold: 2, error_threshold: 1 }
    expect(verdict(check({ metric_thresholds: [threshold, low] }), ran(queue(1.5)))).toBe('warning')
    expect(verdict(check({ metric_thresholds: [low, threshold] }), ran(queue(25)))).toBe('error')
  })

  test('shows its first own line, or the failing metric', () => {
    const painted = '\u001b[1m\u001b[0m\n10 %\r20 %\r\u001b[31mred alarm\u001b[0m\r\nmore'
    expect(judgeCheck(check(), ran({ stdout: painted })).more_info).toBe('red alarm')
    expect(judgeCheck(check(), ran()).more_info).toBe('all is well')
    expect(judgeCheck(check(), ran({ stdout: '', stderr: 'oops\n', retcode: 1 })).more_info).toBe('oops')
    expect(judgeCheck(check(), ran({ stdout: '' })).more_info).toBe('Exit code 0, no output')
    expect(judgeCheck(check(), ran({ stdout: '\n', retcode: 1 })).more_info).toBe('Exit code 1, no output')
    expect(judgeCheck(check(), ran({ stdout: 'metric queue=5 jobs', ...queue(5) })).more_info).toBe(
      'Exit code 0, queue is 5 jobs',
    )
    expect(judgeCheck(check(), ran({ stdout: '', bad_metric_lines })).more_info).toBe(
      'Exit code 0, line 1 is no metric: "metric queue=1,500 jobs"',
    )
    const killed = { outcome: 'failed', retcode: null, stderr: 'a warning\nKilled by SIGKILL.' }
    expect(judgeCheck(check(), ran(killed)).more_info).toBe('Killed by SIGKILL.')
    expect(judgeCheck(check(), ran({ ...killed, stdout: '', stderr: '' })).more_info).toBe(
      'The script did not come to its end.',
    )
    const failing = judgeCheck(check({ metric_thresholds: [threshold] }), ran(queue(25)))
    expect(failing.more_info).toBe('queue is 25 jobs')
  })
})

test.each([
  ['exists', 0, 0, true, 5, 5, 'passes'],
  ['exists', 0, 0, false, 0, 0, 'warning'],
  ['exists', 10, 0, true, 600, 1, 'passes'],
  ['exists', 10, 0, true, 601, 1, 'warning'],
  ['exists', 10, 0, true, -50, 1, 'passes'],
  ['exists', 10, 0, true, -301, 1, 'warning'],
  ['exists', 0, 0, true, -301, 1, 'passes'],
  ['exists', 0, 5, true, 1, 6, 'warning'],
  ['missing', 0, 0, true, 1, 1, 'warning'],
  ['missing', 1, 1, false, 0, 0, 'passes'],
] as const)(
  'a file that should be %s, at most %d minutes old and %d MB: exists %s, %d s, %d MB',
  (expect_, minutes, mb, exists, age_seconds, size, expected) => {
    const check = {
      check_type: 'file',
      path: '/x',
      expect: expect_,
      max_age_minutes: minutes,
      max_size_mb: mb,
      alert_severity: 'warning',
    } as const
    expect(verdict(check, { check_type: 'file', exists, size_bytes: size * MB, age_seconds })).toBe(expected)
  },
)

test('the age of a file is shown as a duration', () => {
  const check = {
    check_type: 'file',
    path: '/x',
    expect: 'exists',
    max_age_minutes: 0,
    max_size_mb: 0,
  } as const
  const file = { check_type: 'file', exists: true, size_bytes: 3 * MB, age_seconds: 286 * 60 } as const
  const words = (age_seconds: number) =>
    judgeCheck({ ...check, alert_severity: 'error' }, { ...file, age_seconds }).more_info
  expect(words(286 * 60)).toBe('3 MB, changed 4 h 46 min ago')
  expect(words(-5)).toBe('3 MB, changed 0 s ago')
  expect(words(-3 * 86_400)).toBe('3 MB, dated 3 d in the future')
})

test('a failed measurement is an error with the reason', () => {
  const reason = 'systemd does not run here.'
  expect(judgeCheck(disk(), { check_type: 'unmeasurable', reason })).toEqual({
    passing: false,
    severity: 'error',
    more_info: reason,
  })
  expect(verdict(disk(), { check_type: 'cpuload', percent: 1 })).toBe('error')
})

test('a machine that lacks what the check needs has measured nothing', () => {
  const reason = 'ping is missing on this machine.'
  expect(judgeCheck(disk(), { check_type: 'unmeasurable', reason, not_measured: true })).toEqual({
    passing: false,
    not_measured: true,
    severity: 'warning',
    more_info: `Not measured: ${reason}`,
  })
})
