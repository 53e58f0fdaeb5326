import type { Measured } from '@muster/contract/agent/checks'
import type { CheckSettings } from '@muster/contract/api/checks'
import type { CheckStatus } from '@muster/contract/checks/check-samples'
import type { ServerMeasured } from '@muster/contract/checks/server-checks'
import type { Severity } from '@muster/contract/fields'
import { judgeCheck } from '@muster/rules/checks/table'
import { takeCheckFindings } from '../alerts/check-alerts.ts'
import type { TxContext } from '../alerts/store-alerts.ts'
import { subjectOf } from './definitions.ts'
import { resetResults, secondsOf } from './reset-results.ts'
import { type CheckRow, updateResult } from './queries.ts'
import { insertTransitions } from './results-queries.ts'
import { readMeasured, readSettings } from './view.ts'

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
  last: CheckState,
  run: { measured: AnyMeasured; at: string },
): Verdict {
  const { passing, severity, more_info, not_measured } = judgeCheck(check.settings, run.measured)
  if (passing) return { ...PENDING, status: 'passing', more_info }
  // Runs that were not measured say nothing about the target, so they do not count as its failures.
  const before = last.status === 'not_measured' && not_measured !== true ? PENDING : last
  const fail_count = before.fail_count + 1
  if (fail_count < check.fails_b4_alert) return { ...before, fail_count, more_info }
  if (not_measured === true) return { ...PENDING, status: 'not_measured', fail_count, more_info }
  return {
    status: 'failing',
    alert_severity: severity,
    fail_count,
    failing_since: before.failing_since ?? run.at,
    more_info,
  }
}

/** The severity of the check's alert; null = it has none. */
export function alertSeverityOf({ status, alert_severity }: CheckState): Severity | null {
  return status === 'not_measured' ? 'warning' : alert_severity
}

/** Whether the alert of the check changes with its state. */
export function hasOtherAlert(before: CheckState, after: CheckState): boolean {
  const isOther = alertSeverityOf(before) !== alertSeverityOf(after)
  return isOther || (before.status === 'not_measured') !== (after.status === 'not_measured')
}

/** The state when the last measurement is judged by other thresholds. `at`: the time of the change. */
function rejudge(
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

/**
 * Judges the last measurement by new settings. Call when they are stored. A measurement of another subject (disk, host,
 * file) no longer counts.
 */
export async function rejudgeLast(
  txContext: TxContext,
  { before, after, at }: { before: CheckRow; after: CheckRow; at: Date },
): Promise<void> {
  const { tx, emit } = txContext
  const { id, agent_id, status, measured } = before
  if (status === null || measured === null) return
  const settings = readSettings(after)
  if (subjectOf(readSettings(before)) !== subjectOf(settings)) {
    await resetResults(txContext, [before], { at, why: 'The check measures something else now.' })
    return
  }
  const { alert_severity, failing_since } = before
  const state = { status, alert_severity, fail_count: before.fail_count ?? 0, failing_since }
  const verdict = rejudge({ settings, fails_b4_alert: after.fails_b4_alert }, state, {
    measured: readMeasured(measured),
    at: at.toISOString(),
  })
  await updateResult(tx, id, verdict)
  if (verdict.status === status && verdict.alert_severity === alert_severity) return
  emit({ type: 'agent.changed', ids: [agent_id], agent_ids: [agent_id] })
  if (verdict.alert_severity !== alert_severity)
    await insertTransitions(tx, [
      { check_id: id, agent_id, at: secondsOf(at), severity: verdict.alert_severity },
    ])
  if (!hasOtherAlert(state, verdict)) return
  const severity = alertSeverityOf(verdict)
  await takeCheckFindings(txContext, [{ checkId: id, at, severity, text: verdict.more_info }], 'server')
}
