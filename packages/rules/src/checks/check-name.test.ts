import { expect, test } from 'vitest'
import { EVERY_DISK } from './every-disk.ts'
import { describeCheck, nameCheck, type NamedSettings } from './check-name.ts'

const limits = { warning_threshold: 20, error_threshold: 10 }
const disk = { check_type: 'diskspace', disk: '/srv', threshold_unit: 'percent', ...limits } as const

const named = (settings: NamedSettings) => ({ settings, script_name: null })

test.each<[string, NamedSettings]>([
  ['Disk space of /srv', disk],
  ['Disk space of every fixed disk', { ...disk, disk: EVERY_DISK, threshold_unit: 'gigabytes' }],
  ['Inodes of /srv', { ...disk, threshold_unit: 'inodes' }],
  ['CPU load', { check_type: 'cpuload', ...limits }],
  ['Memory', { check_type: 'memory', memory_kind: 'memory', ...limits }],
  ['Swap', { check_type: 'memory', memory_kind: 'swap', ...limits }],
  ['Ping Router', { check_type: 'ping', name: 'Router' }],
  ['Service cron', { check_type: 'service', svc_name: 'cron' }],
  ['Service cron', { check_type: 'service', svc_name: 'cron', svc_display_name: '' }],
  ['Service cron', { check_type: 'service', svc_name: 'cron', svc_display_name: 'cron' }],
  [
    'Service Print Spooler (Spooler)',
    { check_type: 'service', svc_name: 'Spooler', svc_display_name: 'Print Spooler' },
  ],
  ['Process sshd', { check_type: 'process', process_name: 'sshd' }],
  ['File C:\\backup.log', { check_type: 'file', path: 'C:\\backup.log' }],
  ['Event log Disks', { check_type: 'eventlog', name: 'Disks' }],
  ['Journal Disks', { check_type: 'journal', name: 'Disks' }],
  ['HTTP Shop', { check_type: 'http', name: 'Shop', ...limits }],
  ['TCP port Mail', { check_type: 'tcp', name: 'Mail', ...limits }],
  ['DNS Zone', { check_type: 'dns', name: 'Zone' }],
])('a check is named %s', (name, settings) => {
  expect(nameCheck(named(settings))).toBe(name)
})

test('a script check has the name of its script', () => {
  const settings = { check_type: 'script' } as const
  expect(nameCheck({ settings, script_name: 'Backup age' })).toBe('Script Backup age')
  expect(nameCheck({ settings, script_name: null })).toBe('Deleted script')
})

test.each<[string, NamedSettings]>([
  ['Disk space of /srv: warning at 20 %, error at 10 %', disk],
  ['Disk space of /srv: warning at 20 GB, error at 10 GB', { ...disk, threshold_unit: 'gigabytes' }],
  ['Inodes of /srv: error at 10 %', { ...disk, threshold_unit: 'inodes', warning_threshold: 0 }],
  ['HTTP Shop: warning at 20 ms', { check_type: 'http', name: 'Shop', ...limits, error_threshold: 0 }],
  ['CPU load', { check_type: 'cpuload', warning_threshold: 0, error_threshold: 0 }],
  ['Ping Router', { check_type: 'ping', name: 'Router' }],
])('thresholds follow the name: %s', (text, settings) => {
  expect(describeCheck(named(settings))).toBe(text)
})
