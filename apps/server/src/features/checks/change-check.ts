import type { editCheck } from '@muster/contract/api/checks'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { laterThan } from '../../platform/database/later-than.ts'
import { lockRow } from '../../platform/database/lock-row.ts'
import { refuseTaken } from '../../platform/database/refuse-taken.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { audit } from '../audit/write-audit.ts'
import { refuseRuns, runsOfCheck } from '../users/roles/refuse-runs.ts'
import { refuseBadScript, refuseBadThresholds, takenCheck, toColumns } from './check-columns.ts'
import { settleDependency } from './dependency.ts'
import { judgeLast } from './judge-last.ts'
import { refuseTarget } from './from-server/refuse-target.ts'
import { type CheckRow, updateCheck } from './queries.ts'
import { redefineChecks } from './redefine-checks.ts'
import { requireCheck, requireOwnCheck } from './require-check.ts'
import { readSettings, viewCheck, viewForAudit } from './view.ts'

type Change = Parsed<typeof editCheck>['body']

/** Changes a check. New thresholds count at once, for what was measured last. */
export function changeCheck(ctx: Context, caller: Caller, id: number, change: Change): Promise<CheckRow> {
  const save = () =>
    ctx.transaction(async (tx, emit) => {
      await lockRow(tx, 'checks', 'id', id)
      const before = await requireOwnCheck(tx, caller, id)
      const {
        settings = readSettings(before),
        fails_b4_alert = before.fails_b4_alert,
        run_interval = before.run_interval,
      } = change
      refuseOldSave(before, change)
      refuseBadThresholds(settings)
      refuseTarget(settings, ctx.config.checkTargets)
      const author_id = await refuseRuns(tx, caller, {
        before: { runs: runsOfCheck(readSettings(before), ''), author: before.author_id },
        after: runsOfCheck(settings, 'This check'),
      })
      const agent = await requireAgent(tx, before.agent_id, caller)
      await refuseBadScript(tx, agent, settings)
      const wish = { id, before: before.depends_on, wanted: change.depends_on }
      const depends_on = await settleDependency({ ctx, tx, caller }, wish)
      const at = ctx.now()
      await updateCheck(tx, id, {
        ...toColumns(settings, agent),
        fails_b4_alert,
        run_interval,
        depends_on,
        author_id,
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
      // It may be the same as one of a policy now.
      emit({ type: 'agent.changed', ids: [after.agent_id], agent_ids: [after.agent_id] })
      return after
    })
  return change.settings === undefined ? save() : refuseTaken(takenCheck(change.settings), save)
}

function refuseOldSave(before: CheckRow, { modified, settings }: Change): void {
  if (settings !== undefined && settings.check_type !== before.check_type) {
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
