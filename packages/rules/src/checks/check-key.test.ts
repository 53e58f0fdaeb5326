import { expect, test } from 'vitest'
import { checkFitsPlatform, checkKey, type KeyedCheck } from './check-key.ts'

const script = { check_type: 'script', script: 7, script_args: ['-v'], env_vars: [] } as const
const disk = { check_type: 'diskspace', disk: '/srv', threshold_unit: 'percent' } as const
const file = { check_type: 'file', path: '/var/log/x' } as const
const http = { check_type: 'http', url: 'https://example.org/', method: 'GET' } as const

test.each<[string, KeyedCheck, KeyedCheck, boolean]>([
  ['the same script', script, { ...script }, true],
  ['other arguments', script, { ...script, script_args: ['-q'] }, false],
  [
    'arguments in another order',
    { ...script, script_args: ['a', 'b'] },
    { ...script, script_args: ['b', 'a'] },
    false,
  ],
  ['other variables', script, { ...script, env_vars: ['A=1'] }, false],
  ['a slash at the end', disk, { ...disk, disk: '/srv/' }, true],
  ['slashes twice', disk, { ...disk, disk: '//srv' }, true],
  ['a dot at the end', disk, { ...disk, disk: '/srv/.' }, true],
  ['a way round', disk, { ...disk, disk: '/mnt/./../srv' }, true],
  ['the root', { ...disk, disk: '/' }, { ...disk, disk: '//./' }, true],
  ['a hidden folder', disk, { ...disk, disk: '/.srv' }, false],
  ['a drive without a colon', { ...disk, disk: 'C:' }, { ...disk, disk: 'c' }, true],
  ['a folder on a drive', { ...disk, disk: 'C:\\mnt' }, { ...disk, disk: 'c:/mnt/' }, true],
  ['another unit of space', disk, { ...disk, threshold_unit: 'gigabytes' }, true],
  ['inodes', disk, { ...disk, threshold_unit: 'inodes' }, false],
  ['a drive in small letters', { ...disk, disk: 'C:' }, { ...disk, disk: 'c:\\' }, true],
  ['a file with slashes twice', file, { ...file, path: '/var//log/./x' }, true],
  ['a file on a drive', { ...file, path: 'C:\\x.log' }, { ...file, path: 'c:/X.log' }, true],
  ['another file', file, { ...file, path: '/var/log/y' }, false],
  ['folders differ by case', disk, { ...disk, disk: '/SRV' }, false],
  [
    'memory and swap',
    { check_type: 'memory', memory_kind: 'memory' },
    { check_type: 'memory', memory_kind: 'swap' },
    false,
  ],
  ['another method', http, { ...http, method: 'HEAD' }, false],
  [
    'another type',
    { check_type: 'process', process_name: 'x' },
    { check_type: 'service', svc_name: 'x' },
    false,
  ],
])('identity of checks: %s', (_case, one, other, same) => {
  expect(checkKey(one) === checkKey(other)).toBe(same)
})

test.each<[string, KeyedCheck, string]>([
  ['a CPU check', { check_type: 'cpuload' }, 'windows linux darwin'],
  ['a mount point', disk, 'linux darwin'],
  ['a drive', { ...disk, disk: 'C:' }, 'windows'],
  ['a file on Windows', { check_type: 'file', path: 'c:\\backup.log' }, 'windows'],
  ['a journal', { check_type: 'journal', unit: null, priority: 'err', event_message: null }, 'linux'],
  ['a script for all', script, 'windows linux darwin'],
])('%s fits %s', (_what, check, expected) => {
  const fitting = (['windows', 'linux', 'darwin'] as const).filter((plat) =>
    checkFitsPlatform(check, plat, []),
  )
  expect(fitting.join(' ')).toBe(expected)
})

test('a script check supports the platforms of its script, or all without one', () => {
  expect(checkFitsPlatform(script, 'linux', ['windows'])).toBe(false)
  expect(checkFitsPlatform(script, 'windows', ['windows'])).toBe(true)
  expect(checkFitsPlatform(script, 'windows', undefined)).toBe(true)
})
