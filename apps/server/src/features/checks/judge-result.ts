import type { Measured } from '@muster/contract/agent/checks'
import type { CheckSettings } from '@muster/contract/api/checks'
import type { CheckStatus } from '@muster/contract/checks/check-samples'
import type { ServerMeasured } from '@muster/contract/checks/server-checks'
import type { Severity } from '@muster/contract/fields'
import { judgeCheck } from '@muster/rules/checks/table'

/** The state of a check. */
export interface CheckState {
  status: CheckStatus
  alert_severity: Severity | null
  fail_count: number
  failing_since: string | null
}
export type AnyMeasured = Measured | ServerMeasured
export type Verdict = CheckState & { more_info: string }

export const PENDING: CheckState = {
  status: 'pending',
  alert_severity: null,
  fail_count: 0,
  failing_since: null,
}

/** The state after one more run. It changes only after enough consecutive failures. */
export function judgeRun(
  check: { settings: CheckSettings; fails_b4_alert: number },
  before: CheckState,
  run: { measured: AnyMeasured; at: string },
): Verdict {
  const { passing, severity, more_info } = judgeCheck(check.settings, run.measured)
  if (passing) return { ...PENDING, status: 'passing', more_info }
  const fail_count = before.fail_count + 1
  if (fail_count < check.fails_b4_alert) return { ...before, fail_count, more_info }
  return {
    status: 'failing',
    alert_severity: severity,
    fail_count,
    failing_since: before.failing_since ?? run.at,
    more_info,
  }
}

/** The state when the last measurement is judged by other thresholds. `at`: the time of the change. */
export function rejudge(
  check: { settings: CheckSettings; fails_b4_alert: number },
  before: CheckState,
  last: { measured: AnyMeasured; at: string },
): Verdict {
  const fail_count = Math.max(0, before.fail_count - 1)
  const isAlerting = before.fail_count > 0 && before.fail_count >= check.fails_b4_alert
  // The last run is undone first. A failure that no longer counts leaves the check passing.
  const earlier: CheckState = isAlerting
    ? { ...before, fail_count }
    : { ...PENDING, status: 'passing', fail_count }
  return judgeRun(check, before.status === 'pending' ? { ...before, fail_count } : earlier, last)
}
