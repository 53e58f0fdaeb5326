import type { editCheck } from '@muster/contract/api/checks'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { laterThan } from '../../platform/database/later-than.ts'
import { lockRow } from '../../platform/database/lock-row.ts'
import { refuseTaken } from '../../platform/database/refuse-taken.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { takeCheckFindings } from '../alerts/check-alerts.ts'
import type { Scene } from '../alerts/store-lives.ts'
import { audit } from '../audit/write-audit.ts'
import { refuseBadScript, refuseBadThresholds, takenCheck, toColumns } from './check-columns.ts'
import { subjectOf } from './definitions.ts'
import { forgetResults, secondsOf } from './forget-results.ts'
import { judgeAgain } from './judge-result.ts'
import { refuseTarget } from './from-server/refuse-target.ts'
import { type CheckRow, updateCheck, updateResult } from './queries.ts'
import { redefineChecks } from './redefine-checks.ts'
import { requireCheck } from './require-check.ts'
import { insertTransitions } from './results-queries.ts'
import { readMeasured, readSettings, viewCheck, viewForAudit } from './view.ts'

type Change = Parsed<typeof editCheck>['body']

/** Changes a check. New thresholds count at once, for what was measured last. */
export function changeCheck(ctx: Context, caller: Caller, id: number, change: Change): Promise<CheckRow> {
  const { settings, fails_b4_alert, run_interval } = change
  return refuseTaken(takenCheck(settings), () =>
    ctx.transaction(async (tx, emit) => {
      await lockRow(tx, 'checks', 'id', id)
      const before = await requireCheck(tx, caller, id)
      refuseOldSave(before, change)
      refuseBadThresholds(settings)
      refuseTarget(settings, ctx.config.checkTargets)
      const agent = await requireAgent(tx, before.agent_id, caller)
      await refuseBadScript(tx, agent, settings)
      const at = ctx.now()
      await updateCheck(tx, id, {
        ...toColumns(settings, agent),
        fails_b4_alert,
        run_interval,
        modified: laterThan(before.modified, at),
        modified_by: caller.username,
      })
      await redefineChecks(tx, emit, { checkIds: [id] })
      await judgeLast({ ctx, tx, emit }, { before, after: await requireCheck(tx, caller, id), at })
      const after = await requireCheck(tx, caller, id)
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'check',
        message: `Changed the check "${viewCheck(after).readable_desc}" of "${after.hostname}"`,
        before: viewForAudit(before),
        after: viewForAudit(after),
        agent: after,
        at,
        emit,
      })
      emit({ type: 'check.changed', ids: [id], agent_ids: [after.agent_id] })
      return after
    }),
  )
}

function refuseOldSave(before: CheckRow, { modified, settings }: Change): void {
  if (settings.check_type !== before.check_type) {
    const sentence = 'The type of a check cannot be changed: delete it and add another.'
    throw new AppError('invalid', sentence, { fields: { 'settings.check_type': [sentence] } })
  }
  if (modified === undefined || modified === before.modified) return
  const { readable_desc } = viewCheck(before)
  throw new AppError(
    'changed_meanwhile',
    `${before.modified_by} has changed "${readable_desc}" of ${before.hostname} since you opened it.`,
  )
}

/** What was measured of another disk, host or file says nothing any more; else it is judged anew. */
async function judgeLast(
  scene: Scene,
  { before, after, at }: { before: CheckRow; after: CheckRow; at: Date },
): Promise<void> {
  const { tx, emit } = scene
  const { id, agent_id, status, measured } = before
  if (status === null || measured === null) return
  const settings = readSettings(after)
  if (subjectOf(readSettings(before)) !== subjectOf(settings)) {
    await forgetResults(scene, [before], { at, why: 'The check looks at something else now.' })
    return
  }
  const { alert_severity, failing_since } = before
  const standing = { status, alert_severity, fail_count: before.fail_count ?? 0, failing_since }
  const verdict = judgeAgain({ settings, fails_b4_alert: after.fails_b4_alert }, standing, {
    measured: readMeasured(measured),
    at: at.toISOString(),
  })
  await updateResult(tx, id, verdict)
  if (verdict.status === status && verdict.alert_severity === alert_severity) return
  emit({ type: 'agent.changed', ids: [agent_id], agent_ids: [agent_id] })
  if (verdict.alert_severity === alert_severity) return
  const severity = verdict.alert_severity
  await insertTransitions(tx, [{ check_id: id, agent_id, at: secondsOf(at), severity }])
  await takeCheckFindings(scene, [{ checkId: id, at, severity, text: verdict.more_info }], 'server')
}
