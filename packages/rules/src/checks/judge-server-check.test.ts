import { expect, test } from 'vitest'
import { type CheckToJudge, judgeCheck, type MeasuredValues } from './table.ts'

const judge = (check: CheckToJudge, measured: MeasuredValues) => {
  const { severity, more_info } = judgeCheck(check, measured)
  return [severity ?? 'passes', more_info]
}

const HTTP = {
  check_type: 'http',
  url: 'http://shop.example.org/',
  expected_status: [],
  text_present: null,
  text_absent: null,
  warning_threshold: 0,
  error_threshold: 0,
  cert_warning_days: 14,
  cert_error_days: 3,
  ignore_certificate: false,
  alert_severity: 'info',
} as const
const ANSWER = {
  check_type: 'http',
  reason: '',
  status: 200,
  ms: 12.34,
  has_present: null,
  has_absent: null,
  is_cut: false,
  cert_days: null,
} as const

test.each([
  [{}, {}, 'passes', 'Answered 200 after 12.3 ms'],
  [{}, { status: 399 }, 'passes', 'Answered 399 after 12.3 ms'],
  [{}, { status: 404 }, 'info', 'Answered 404 after 12.3 ms, expected 200 to 399'],
  [{ expected_status: [404, 410] }, { status: 404 }, 'passes', 'Answered 404 after 12.3 ms'],
  [{ expected_status: [404, 410] }, {}, 'info', 'Answered 200 after 12.3 ms, expected 404, 410'],
  [{}, { status: null, ms: null, reason: 'Refused.' }, 'info', 'Refused.'],
  [{ text_present: 'a' }, { has_present: true }, 'passes', 'Answered 200 after 12.3 ms'],
  [
    { text_present: 'a' },
    { has_present: false },
    'info',
    'Answered 200 after 12.3 ms, but "a" is not in the response',
  ],
  [
    { text_present: 'a' },
    { has_present: false, is_cut: true },
    'info',
    'Answered 200 after 12.3 ms, but "a" is not in the first megabyte',
  ],
  [
    { text_absent: 'b' },
    { has_absent: true },
    'info',
    'Answered 200 after 12.3 ms, but "b" is in the response',
  ],
  [{ warning_threshold: 10 }, {}, 'warning', 'Answered 200 after 12.3 ms'],
  [{ warning_threshold: 10, error_threshold: 12 }, {}, 'error', 'Answered 200 after 12.3 ms'],
  [{}, { cert_days: 90.9 }, 'passes', 'Answered 200 after 12.3 ms, the certificate is valid for 90 days'],
  [{}, { cert_days: 13.9 }, 'warning', 'Answered 200 after 12.3 ms, the certificate is valid for 13 days'],
  [{}, { cert_days: 1.2 }, 'error', 'Answered 200 after 12.3 ms, the certificate is valid for 1 day'],
  [{ ignore_certificate: true }, { cert_days: -5 }, 'passes', 'Answered 200 after 12.3 ms'],
  [{ url: 'https://x' }, {}, 'error', 'Answered 200 after 12.3 ms, but without a certificate to judge'],
  [
    { url: 'HTTPS://x', cert_error_days: 0 },
    {},
    'warning',
    'Answered 200 after 12.3 ms, but without a certificate to judge',
  ],
  [
    { url: 'https://x', cert_warning_days: 0, cert_error_days: 0 },
    {},
    'passes',
    'Answered 200 after 12.3 ms',
  ],
  [{ url: 'https://x', ignore_certificate: true }, {}, 'passes', 'Answered 200 after 12.3 ms'],
  [{ error_threshold: 10 }, { cert_days: 13 }, 'error', 'Answered 200 after 12.3 ms'],
] as const)('http %o with %o', (check, measured, severity, words) => {
  expect(judge({ ...HTTP, ...check }, { ...ANSWER, ...measured })).toEqual([severity, words])
})

test.each([
  [20, 'passes', 'Port 25 responds in 20 ms'],
  [60, 'warning', 'Port 25 responds in 60 ms'],
  [200, 'error', 'Port 25 responds in 200 ms'],
  [null, 'info', 'The connection was refused.'],
] as const)('a port that responds in %s ms', (ms, severity, words) => {
  const check = { check_type: 'tcp', port: 25, warning_threshold: 50, error_threshold: 100 } as const
  const reason = ms === null ? 'The connection was refused.' : ''
  expect(judge({ ...check, alert_severity: 'info' }, { check_type: 'tcp', reason, ms })).toEqual([
    severity,
    words,
  ])
})

test.each([
  ['A', null, ['192.0.2.1', '192.0.2.2'], 'passes', 'A: 192.0.2.1, 192.0.2.2'],
  ['A', '192.0.2.2', ['192.0.2.1', '192.0.2.2'], 'passes', 'A: 192.0.2.1, 192.0.2.2'],
  ['A', '192.0.2.3', ['192.0.2.1'], 'warning', 'A: 192.0.2.1, expected 192.0.2.3'],
  ['A', null, [], 'warning', 'A: no record'],
  ['A', null, ['1', '2', '3', '4', '5'], 'passes', 'A: 1, 2, 3 and 2 more'],
  ['CNAME', 'WWW.example.org.', ['www.Example.org'], 'passes', 'CNAME: www.Example.org'],
  ['MX', 'mail.example.org', ['10 mail.example.org'], 'passes', 'MX: 10 mail.example.org'],
  ['MX', '20 mail.example.org', ['10 mail.example.org'], 'warning', /expected 20 mail/],
  ['TXT', 'include:x', ['v=spf1 include:x -all'], 'passes', 'TXT: v=spf1 include:x -all'],
  ['TXT', 'v=SPF1', ['v=spf1'], 'warning', /expected v=SPF1$/],
] as const)('records of type %s that should have %s and are %j', (...given) => {
  const [record_type, expected_value, answers, severity, words] = given
  const check = {
    check_type: 'dns',
    record_name: 'x',
    record_type,
    expected_value,
    alert_severity: 'warning',
  } as const
  const [found, info] = judge(check, { check_type: 'dns', reason: '', ms: 3, answers })
  expect(found).toBe(severity)
  expect(info).toEqual(typeof words === 'string' ? words : expect.stringMatching(words))
  expect(judge(check, { check_type: 'dns', reason: 'No name.', ms: null, answers: [] })).toEqual([
    'warning',
    'No name.',
  ])
})
