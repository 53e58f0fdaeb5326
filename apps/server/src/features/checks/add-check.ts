import type { createCheck } from '@muster/contract/api/checks'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { refuseTaken } from '../../platform/database/refuse-taken.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { audit } from '../audit/write-audit.ts'
import { refuseRuns, runsOfCheck } from '../users/roles/refuse-runs.ts'
import { refuseBadScript, refuseBadThresholds, takenCheck, toColumns } from './check-columns.ts'
import { settleDependency } from './dependency.ts'
import { refuseTarget } from './from-server/refuse-target.ts'
import { type CheckRow, countChecks, insertCheck } from './queries.ts'
import { redefineChecks } from './redefine-checks.ts'
import { requireCheck } from './require-check.ts'
import { viewForAudit } from './view.ts'

/** More would not fit into what is sent to a machine at once. */
const MOST_CHECKS = 500

export function addCheck(
  ctx: Context,
  caller: Caller,
  given: Omit<Parsed<typeof createCheck>['body'], 'agent' | 'policy'> & { agent: string },
): Promise<CheckRow> {
  const { settings, fails_b4_alert, run_interval } = given
  return refuseTaken(takenCheck(settings), () =>
    ctx.transaction(async (tx, emit) => {
      const agent = await requireAgent(tx, given.agent, caller)
      refuseBadThresholds(settings)
      refuseTarget(settings, ctx.config.checkTargets)
      const author_id = await refuseRuns(tx, caller, { after: runsOfCheck(settings, 'This check') })
      await refuseBadScript(tx, agent, settings)
      if ((await countChecks(tx, agent.agent_id)) >= MOST_CHECKS) {
        throw new AppError('conflict', `A machine has at most ${MOST_CHECKS} checks.`)
      }
      const wish = { before: null, wanted: given.depends_on }
      const depends_on = await settleDependency({ ctx, tx, caller }, wish)
      const at = ctx.now()
      const { id } = await insertCheck(tx, {
        agent_id: agent.agent_id,
        check_type: settings.check_type,
        ...toColumns(settings, agent),
        fails_b4_alert,
        run_interval,
        depends_on,
        revision: '',
        author_id,
        created_at: at.toISOString(),
        modified: at.toISOString(),
        modified_by: caller.username,
      })
      await redefineChecks(tx, emit, { checkIds: [id] })
      const check = await requireCheck(tx, caller, id)
      const after = viewForAudit(check)
      await audit(tx, {
        caller,
        action: 'add',
        object_type: 'check',
        message: `Added the check "${after.check}" to "${agent.hostname}"`,
        after,
        agent,
        at,
        emit,
      })
      emit({ type: 'check.changed', ids: [id], agent_ids: [agent.agent_id] })
      emit({ type: 'agent.changed', ids: [agent.agent_id], agent_ids: [agent.agent_id] })
      return check
    }),
  )
}
