import { expect, test } from 'vitest'
import { type MeasuredValues, seriesOf } from './table.ts'
import { METRIC_PREFIX } from './judgement.ts'

const disk = {
  check_type: 'diskspace',
  exists: true,
  total_bytes: 400,
  free_bytes: 100,
  inodes_total: 50,
  inodes_free: 40,
} as const
const ran = { check_type: 'script', outcome: 'exited', stdout: '', stderr: '', metrics: [] } as const

test.each<[string, MeasuredValues, [name: string, value: number, unit: string][]]>([
  [
    'a disk',
    disk,
    [
      ['free_percent', 25, '%'],
      ['inodes_free_percent', 80, '%'],
    ],
  ],
  [
    'a disk that counts no inodes',
    { ...disk, inodes_total: null, inodes_free: null },
    [['free_percent', 25, '%']],
  ],
  ['a disk with no inodes at all', { ...disk, inodes_total: 0, inodes_free: 0 }, [['free_percent', 25, '%']]],
  ['a full disk', { ...disk, free_bytes: 0, inodes_total: null }, [['free_percent', 0, '%']]],
  ['a disk that is gone', { ...disk, exists: false }, []],
  ['a disk of no size', { ...disk, total_bytes: 0, free_bytes: 0 }, []],
  ['load', { check_type: 'cpuload', percent: 12.5 }, [['percent', 12.5, '%']]],
  [
    'memory',
    { check_type: 'memory', percent: 50, total_bytes: 1, swap_percent: 0 },
    [
      ['percent', 50, '%'],
      ['swap_percent', 0, '%'],
    ],
  ],
  [
    'memory without swap',
    { check_type: 'memory', percent: 50, total_bytes: 1, swap_percent: null },
    [['percent', 50, '%']],
  ],
  [
    'ping',
    { check_type: 'ping', sent: 4, received: 3, ms: 7 },
    [
      ['ms', 7, 'ms'],
      ['loss_percent', 25, '%'],
    ],
  ],
  ['a failed ping', { check_type: 'ping', sent: 3, received: 0, ms: null }, [['loss_percent', 100, '%']]],
  [
    'ping that could not be sent',
    { check_type: 'ping', sent: 0, received: 0, ms: null },
    [['loss_percent', 100, '%']],
  ],
  ['a service', { check_type: 'service', state: 'running', restarted: false }, [['running', 1, '']]],
  [
    'a service that starts',
    { check_type: 'service', state: 'start_pending', restarted: true },
    [['running', 0, '']],
  ],
  ['a script', { ...ran, retcode: 3 }, [['retcode', 3, '']]],
  [
    'a script with metrics',
    { ...ran, retcode: 0, metrics: [{ name: 'percent', value: -1.5, unit: 'jobs' }] },
    [
      ['retcode', 0, ''],
      [`${METRIC_PREFIX}percent`, -1.5, 'jobs'],
    ],
  ],
  ['a script that was ended', { ...ran, outcome: 'timed_out', retcode: null }, []],
  [
    'processes',
    { check_type: 'process', count: 2, memory_bytes: 4096 },
    [
      ['count', 2, ''],
      ['memory', 4096, 'B'],
    ],
  ],
  [
    'a file',
    { check_type: 'file', exists: true, size_bytes: 10, age_seconds: 60 },
    [
      ['size', 10, 'B'],
      ['age', 60, 's'],
    ],
  ],
  ['a file that is not there', { check_type: 'file', exists: false, size_bytes: 0, age_seconds: 0 }, []],
  ['a log', { check_type: 'journal', count: 7, is_whole: true, entries: [] }, [['entries', 7, '']]],
  [
    'a web page',
    {
      check_type: 'http',
      reason: '',
      status: 200,
      ms: 12.34567,
      has_present: null,
      has_absent: null,
      is_cut: false,
      cert_days: 30.126,
    },
    [
      ['ms', 12.346, 'ms'],
      ['cert_days', 30.13, 'd'],
    ],
  ],
  ['a closed port', { check_type: 'tcp', reason: 'Refused.', ms: null }, []],
  ['what could not be measured', { check_type: 'unmeasurable', reason: 'no' }, []],
])('the values of %s', (_, measured, expected) => {
  expect(seriesOf(measured).map(({ name, value, unit }) => [name, value, unit])).toEqual(expected)
})

test('names in one measurement differ, also if a script uses built-in names', () => {
  const metrics = ['retcode', 'percent', 'ms'].map((name) => ({ name, value: 1, unit: '' }))
  const names = seriesOf({ ...ran, retcode: 0, metrics }).map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})
