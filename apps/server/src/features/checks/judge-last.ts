import { takeCheckFindings } from '../alerts/check-alerts.ts'
import type { TxContext } from '../alerts/store-alerts.ts'
import { subjectOf } from './definitions.ts'
import { resetResults, secondsOf } from './reset-results.ts'
import { rejudge } from './judge-result.ts'
import { type CheckRow, updateResult } from './queries.ts'
import { insertTransitions } from './results-queries.ts'
import { readMeasured, readSettings } from './view.ts'

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
  const standing = { status, alert_severity, fail_count: before.fail_count ?? 0, failing_since }
  const verdict = rejudge({ settings, fails_b4_alert: after.fails_b4_alert }, standing, {
    measured: readMeasured(measured),
    at: at.toISOString(),
  })
  await updateResult(tx, id, verdict)
  if (verdict.status === status && verdict.alert_severity === alert_severity) return
  emit({ type: 'agent.changed', ids: [agent_id], agent_ids: [agent_id] })
  if (verdict.alert_severity === alert_severity) return
  const severity = verdict.alert_severity
  await insertTransitions(tx, [{ check_id: id, agent_id, at: secondsOf(at), severity }])
  await takeCheckFindings(txContext, [{ checkId: id, at, severity, text: verdict.more_info }], 'server')
}
