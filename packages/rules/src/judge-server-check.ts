import {
  compare,
  fail,
  type Judgement,
  pass,
  round,
  type Severity,
  type ThresholdPair,
  worstOf,
} from './judgement.ts'

/** Checks that the server measures. Thresholds are milliseconds. */
export type ServerCheckToJudge =
  | ({
      check_type: 'http'
      /** Empty = 200 to 399. */
      expected_status: readonly number[]
      text_present: string | null
      text_absent: string | null
      cert_warning_days: number
      cert_error_days: number
      ignore_certificate: boolean
      alert_severity: Severity
    } & ThresholdPair)
  | ({ check_type: 'tcp'; port: number; alert_severity: Severity } & ThresholdPair)
  | {
      check_type: 'dns'
      record_name: string
      record_type: string
      expected_value: string | null
      alert_severity: Severity
    }

export type ServerMeasuredValues =
  | {
      check_type: 'http'
      reason: string
      status: number | null
      ms: number | null
      has_present: boolean | null
      has_absent: boolean | null
      is_cut: boolean
      cert_days: number | null
    }
  | { check_type: 'tcp'; reason: string; ms: number | null }
  | { check_type: 'dns'; reason: string; ms: number | null; answers: readonly string[] }

type CheckOf<Type> = Extract<ServerCheckToJudge, { check_type: Type }>
type MeasuredOf<Type> = Extract<ServerMeasuredValues, { check_type: Type }>

export function judgeHttp(check: CheckOf<'http'>, measured: MeasuredOf<'http'>): Judgement {
  const { reason, status, ms, has_present, has_absent, is_cut, cert_days } = measured
  if (status === null || ms === null) return fail(check.alert_severity, reason)
  const { expected_status: expected } = check
  const isExpected = expected.length === 0 ? status >= 200 && status < 400 : expected.includes(status)
  const answer = `Answered ${status} after ${round(ms)} ms`
  if (!isExpected) {
    const wanted = expected.length === 0 ? '200 to 399' : expected.join(', ')
    return fail(check.alert_severity, `${answer}, expected ${wanted}`)
  }
  const where = is_cut ? 'in the first megabyte' : 'in the answer'
  if (check.text_present !== null && has_present === false)
    return fail(check.alert_severity, `${answer}, but "${cut(check.text_present)}" is not ${where}`)
  if (check.text_absent !== null && has_absent === true)
    return fail(check.alert_severity, `${answer}, but "${cut(check.text_absent)}" is ${where}`)
  const time = compare({ ...check, reverse: false }, ms, answer)
  if (cert_days === null || check.ignore_certificate) return time
  const days = Math.floor(cert_days)
  const good = `the certificate is good for ${days} ${days === 1 ? 'day' : 'days'}`
  const pair = { warning_threshold: check.cert_warning_days, error_threshold: check.cert_error_days }
  return worstOf(compare({ ...pair, reverse: true }, cert_days, `${answer}, ${good}`), time)
}

export function judgeTcp(check: CheckOf<'tcp'>, { reason, ms }: MeasuredOf<'tcp'>): Judgement {
  if (ms === null) return fail(check.alert_severity, reason)
  return compare({ ...check, reverse: false }, ms, `Port ${check.port} answers after ${round(ms)} ms`)
}

export function judgeDns(check: CheckOf<'dns'>, { reason, answers }: MeasuredOf<'dns'>): Judgement {
  if (reason !== '') return fail(check.alert_severity, reason)
  const found = answers.length === 0 ? 'no record' : answers.slice(0, 3).map(cut).join(', ')
  const more = answers.length > 3 ? ` and ${answers.length - 3} more` : ''
  const info = `${check.record_type}: ${found}${more}`
  if (answers.length === 0) return fail(check.alert_severity, info)
  const { expected_value: expected } = check
  if (expected === null || answers.some((answer) => isSameRecord(check.record_type, answer, expected)))
    return pass(info)
  return fail(check.alert_severity, `${info}, expected ${cut(expected)}`)
}

/** Names are the same in upper and lower case, with and without the dot at their end. A text may be a part. */
function isSameRecord(type: string, answer: string, expected: string): boolean {
  if (type === 'TXT') return answer.includes(expected)
  const bare = (text: string) => text.trim().toLowerCase().replace(/\.$/, '')
  // Of a mail exchanger the priority may be left out.
  return (
    bare(answer) === bare(expected) || (type === 'MX' && bare(answer.replace(/^\d+ /, '')) === bare(expected))
  )
}

const cut = (text: string) => (text.length > 80 ? `${text.slice(0, 80)}…` : text)
