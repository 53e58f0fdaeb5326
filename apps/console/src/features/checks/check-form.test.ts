import { CHECK_TYPES } from '@muster/contract/api/checks'
import { describe, expect, test } from 'vitest'
import { checkCheckForm, newCheckForm, readCheckForm, toCheckBody } from './check-form.ts'

const errorsOf = (...[type, form]: Parameters<typeof checkCheckForm>) =>
  Object.fromEntries(Object.entries(checkCheckForm(type, form)).filter(([, message]) => message !== null))

const FILLED = {
  diskspace: { disk: '/' },
  cpuload: {},
  memory: {},
  ping: { name: 'Router', ip: '192.0.2.1' },
  service: { svc_name: 'cron.service' },
  script: { script: '7' },
  process: { process_name: 'sshd' },
  file: { path: '/var/log/syslog' },
  eventlog: { name: 'Failed sign-ins' },
  journal: { name: 'Disk errors' },
  http: { name: 'Shop', url: 'https://shop.example.org/' },
  tcp: { name: 'Mail', host: 'mail.example.org', port: 25 },
  dns: { name: 'Web', record_name: 'www.example.org' },
}

test.each(CHECK_TYPES)('a new %s check has default values and shows missing ones', (type) => {
  const form = newCheckForm(type)
  const missing = Object.keys(FILLED[type])
  expect(Object.keys(errorsOf(type, form))).toEqual(missing)
  const filled = { ...form, ...FILLED[type] }
  expect(errorsOf(type, filled)).toEqual({})
  expect(toCheckBody(type, filled)).toMatchObject({
    settings: { check_type: type },
    fails_b4_alert: type === 'cpuload' ? 5 : 1,
    run_interval: 0,
    depends_on: null,
  })
})

test.each(CHECK_TYPES)('a saved %s check round-trips through the form', (type) => {
  const form = { ...newCheckForm(type), ...FILLED[type] }
  const body = toCheckBody(type, form)
  expect(body && readCheckForm(body)).toEqual(form)
})

describe('thresholds', () => {
  const cases = [
    ['cpuload', '', 0, 'Warning Threshold or Error Threshold need to be set'],
    ['cpuload', 90, 70, 'Warning Threshold must be less than Error Threshold'],
    ['memory', 80, 80, 'Warning Threshold must be less than Error Threshold'],
    ['diskspace', 10, 25, 'Warning Threshold must be more than Error Threshold'],
    ['cpuload', 0, 90, undefined],
    ['http', 0, 0, undefined],
    ['tcp', 500, 200, 'Warning Threshold must be less than Error Threshold'],
    ['diskspace', 25, 0, undefined],
    ['cpuload', 100, 90, 'From 0 to 99.'],
    ['diskspace', 100, 10, 'At most 99 percent.'],
  ] as const
  test.each(cases)('%s with %d and %d', (type, warning_threshold, error_threshold, message) => {
    const form = { ...newCheckForm(type), ...FILLED[type], warning_threshold, error_threshold }
    expect(errorsOf(type, form).warning_threshold).toBe(message)
  })

  test('gigabytes may be more than 99', () => {
    const form = { ...newCheckForm('diskspace'), disk: '/', threshold_unit: 'gigabytes' }
    expect(errorsOf('diskspace', { ...form, warning_threshold: 500, error_threshold: 100 })).toEqual({})
  })
})

test('the process maximum is not below the minimum, and empty is any', () => {
  const form = { ...newCheckForm('process'), process_name: 'sshd', min_count: 3 }
  expect(errorsOf('process', { ...form, max_count: 2 })).toEqual({ max_count: 'Not less than 3.' })
  expect(errorsOf('process', { ...form, max_count: 3 })).toEqual({})
  expect(errorsOf('process', { ...form, max_count: '' })).toEqual({})
})

describe('hidden fields do not count', () => {
  const cases = [
    ['process', { expect: 'not_running', min_count: 3, max_count: 2, max_memory_mb: -1 }],
    ['file', { expect: 'missing', max_age_minutes: -1, max_size_mb: '' }],
    ['http', { method: 'HEAD', text_present: 'x', text_absent: 'y' }],
    ['http', { ignore_certificate: true, cert_warning_days: 1, cert_error_days: 5 }],
    ['http', { url: 'http://shop.example.org/', cert_warning_days: 1, cert_error_days: 5 }],
  ] as const
  test.each(cases)('%s with %j', (type, more) => {
    const form = { ...newCheckForm(type), ...FILLED[type] }
    expect(errorsOf(type, { ...form, ...more })).toEqual({})
  })

  test('and count again when visible', () => {
    const form = { ...newCheckForm('http'), ...FILLED.http, cert_warning_days: 1, cert_error_days: 5 }
    expect(errorsOf('http', form)).toEqual({
      cert_warning_days: 'Warning Threshold must be more than Error Threshold',
    })
  })
})

test('exit codes are numbers with commas between them', () => {
  const form = { ...newCheckForm('script'), script: '7', success_return_codes: '0, 3010 1641,0' }
  expect(toCheckBody('script', form)?.settings).toMatchObject({ success_return_codes: [0, 3010, 1641] })
  expect(errorsOf('script', { ...form, info_return_codes: 'one' })).toEqual({
    info_return_codes: 'Enter exit codes separated by commas.',
  })
})

test('variables and metrics of a script are validated one by one', () => {
  const form = { ...newCheckForm('script'), script: '7' }
  expect(errorsOf('script', { ...form, env_vars: ['A=1', 'nothing'] }).env_vars).toBe('Write NAME=value.')
  const row = { name: 'jobs', warning_threshold: 5, error_threshold: 2, reverse: false }
  expect(errorsOf('script', { ...form, metric_thresholds: [row] })).toEqual({
    'metric_thresholds.0.warning_threshold': 'Warning Threshold must be less than Error Threshold',
  })
  expect(errorsOf('script', { ...form, metric_thresholds: [{ ...row, reverse: true }] })).toEqual({})
  const empty = { ...row, warning_threshold: '', error_threshold: '' }
  expect(errorsOf('script', { ...form, metric_thresholds: [empty] })).toEqual({
    'metric_thresholds.0.warning_threshold': 'Warning Threshold or Error Threshold need to be set',
  })
})

test('0 and negative numbers are thresholds of a metric, and an empty field is none', () => {
  const row = { name: 'failed', reverse: false }
  const metric_thresholds = [
    { ...row, warning_threshold: '', error_threshold: 0 },
    { ...row, warning_threshold: -15, error_threshold: '' },
  ]
  const form = { ...newCheckForm('script'), script: '7', metric_thresholds }
  expect(errorsOf('script', form)).toEqual({})
  const body = toCheckBody('script', form)
  expect(body?.settings).toMatchObject({
    metric_thresholds: [
      { ...row, warning_threshold: null, error_threshold: 0 },
      { ...row, warning_threshold: -15, error_threshold: null },
    ],
  })
  if (body === undefined) throw new Error('the form is valid')
  expect(readCheckForm(body)).toMatchObject({ metric_thresholds })
})

test('an interval is the default, or at least ten seconds', () => {
  const form = newCheckForm('cpuload')
  expect(errorsOf('cpuload', { ...form, run_interval: 5 })).toHaveProperty('run_interval')
  expect(errorsOf('cpuload', { ...form, run_interval: '' })).toEqual({})
  expect(toCheckBody('cpuload', { ...form, run_interval: '' })?.run_interval).toBe(0)
  expect(errorsOf('cpuload', { ...form, run_interval: 10 })).toEqual({})
})
