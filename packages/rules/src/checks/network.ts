import {
  type CheckRule,
  compare,
  fail,
  firstLine,
  pass,
  percent,
  responseTime,
  limitsOf,
  round,
  roundBeside,
  type Severity,
  shorten,
  type ThresholdPair,
} from './judgement.ts'

interface Echoes {
  sent: number
  received: number
  /** On average. */
  ms: number | null
  output?: string
}

export const ping: CheckRule<{ alert_severity: Severity }, Echoes> = {
  judge(check, { sent, received, ms, output = '' }) {
    if (sent === 0) return fail(check.alert_severity, firstLine(output) ?? 'Failed to send packets.')
    const time = ms === null ? '' : `, ${round(ms)} ms on average`
    const info = `${received} of ${sent} packets received${time}`
    return received < sent ? fail(check.alert_severity, info) : pass(info)
  },
  series: ({ sent, received, ms }) => [
    ...responseTime(ms),
    percent('loss_percent', sent === 0 ? 1 : (sent - received) / sent),
  ],
}

/** Thresholds are milliseconds. */
interface TcpCheck extends ThresholdPair {
  port: number
  alert_severity: Severity
}

export const tcp: CheckRule<TcpCheck, { reason: string; ms: number | null }> = {
  judge(check, { reason, ms }) {
    if (ms === null) return fail(check.alert_severity, reason)
    const shown = roundBeside({ ...limitsOf(check), reverse: false }, ms)
    return compare({ ...check, reverse: false }, ms, `Port ${check.port} responds in ${shown} ms`)
  },
  series: ({ ms }) => responseTime(ms),
}

interface DnsCheck {
  record_name: string
  record_type: string
  expected_value: string | null
  alert_severity: Severity
}
interface DnsResult {
  reason: string
  ms: number | null
  answers: readonly string[]
}

export const dns: CheckRule<DnsCheck, DnsResult> = {
  judge(check, { reason, answers }) {
    if (reason !== '') return fail(check.alert_severity, reason)
    const found = answers.length === 0 ? 'no record' : answers.slice(0, 3).map(shorten).join(', ')
    const more = answers.length > 3 ? ` and ${answers.length - 3} more` : ''
    const info = `${check.record_type}: ${found}${more}`
    if (answers.length === 0) return fail(check.alert_severity, info)
    const { expected_value: expected } = check
    if (expected === null || answers.some((answer) => isSameRecord(check.record_type, answer, expected)))
      return pass(info)
    return fail(check.alert_severity, `${info}, expected ${shorten(expected)}`)
  },
  series: ({ ms }) => responseTime(ms),
}

/** Names are case-insensitive and may end with a dot. A text may match a part. */
function isSameRecord(type: string, answer: string, expected: string): boolean {
  if (type === 'TXT') return answer.includes(expected)
  const bare = (text: string) => text.trim().toLowerCase().replace(/\.$/, '')
  // The priority of an MX record is optional.
  return (
    bare(answer) === bare(expected) || (type === 'MX' && bare(answer.replace(/^\d+ /, '')) === bare(expected))
  )
}
