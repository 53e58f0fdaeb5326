import {
  responseTime,
  type CheckRule,
  compare,
  compareNothing,
  fail,
  limitsOf,
  roundBeside,
  roundTo,
  type Severity,
  shorten,
  type ThresholdPair,
  worstOf,
} from './judgement.ts'

/** Thresholds are milliseconds. */
interface HttpCheck extends ThresholdPair {
  url: string
  /** Empty = 200 to 399. */
  expected_status: readonly number[]
  text_present: string | null
  text_absent: string | null
  cert_warning_days: number
  cert_error_days: number
  ignore_certificate: boolean
  alert_severity: Severity
}
interface HttpResult {
  reason: string
  status: number | null
  ms: number | null
  has_present: boolean | null
  has_absent: boolean | null
  is_cut: boolean
  cert_days: number | null
}

export const http: CheckRule<HttpCheck, HttpResult> = {
  judge(check, measured) {
    const { reason, status, ms, has_present, has_absent, is_cut, cert_days } = measured
    if (status === null || ms === null) return fail(check.alert_severity, reason)
    const { expected_status: expected } = check
    const isExpected = expected.length === 0 ? status >= 200 && status < 400 : expected.includes(status)
    const answer = `Answered ${status} after ${roundBeside({ ...limitsOf(check), reverse: false }, ms)} ms`
    if (!isExpected) {
      const wanted = expected.length === 0 ? '200 to 399' : expected.join(', ')
      return fail(check.alert_severity, `${answer}, expected ${wanted}`)
    }
    const where = is_cut ? 'in the first megabyte' : 'in the response'
    if (check.text_present !== null && has_present === false)
      return fail(check.alert_severity, `${answer}, but "${shorten(check.text_present)}" is not ${where}`)
    if (check.text_absent !== null && has_absent === true)
      return fail(check.alert_severity, `${answer}, but "${shorten(check.text_absent)}" is ${where}`)
    const time = compare({ ...check, reverse: false }, ms, answer)
    const isJudged = !check.ignore_certificate && (cert_days !== null || /^https:/i.test(check.url))
    if (!isJudged) return time
    const pair = { warning_threshold: check.cert_warning_days, error_threshold: check.cert_error_days }
    // A redirect to plain http leaves the certificate unknown.
    if (cert_days === null)
      return worstOf(time, compareNothing(limitsOf(pair), `${answer}, but without a certificate to judge`))
    const days = Math.floor(cert_days)
    const good = `the certificate is valid for ${days} ${days === 1 ? 'day' : 'days'}`
    return worstOf(compare({ ...pair, reverse: true }, cert_days, `${answer}, ${good}`), time)
  },
  series: ({ ms, cert_days }) => [
    ...responseTime(ms),
    ...(cert_days === null ? [] : [{ name: 'cert_days', value: roundTo(cert_days, 2), unit: 'd' }]),
  ],
}
