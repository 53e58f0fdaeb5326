import { compare, fail, round, type Severity, type ThresholdPair } from './judgement.ts'
import { answerTime } from './series-value.ts'
import type { CheckRule } from './check-rule.ts'

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
  series: ({ ms }) => answerTime(ms),
}
