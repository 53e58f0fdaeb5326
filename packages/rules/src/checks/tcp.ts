import {
  responseTime,
  type CheckRule,
  compare,
  fail,
  round,
  type Severity,
  type ThresholdPair,
} from './judgement.ts'

/** Thresholds are milliseconds. */
interface TcpCheck extends ThresholdPair {
  port: number
  alert_severity: Severity
}

export const tcp: CheckRule<TcpCheck, { reason: string; ms: number | null }> = {
  judge(check, { reason, ms }) {
    if (ms === null) return fail(check.alert_severity, reason)
    return compare({ ...check, reverse: false }, ms, `Port ${check.port} responds in ${round(ms)} ms`)
  },
  series: ({ ms }) => responseTime(ms),
}
