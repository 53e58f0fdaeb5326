import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { lockRow } from '../../platform/database/lock-row.ts'
import { takeCheckFindings } from '../alerts/check-alerts.ts'
import { audit } from '../audit/write-audit.ts'
import { deleteCheckRow } from './queries.ts'
import { redefineChecks } from './redefine-checks.ts'
import { requireOwnCheck } from './require-check.ts'
import { viewForAudit } from './view.ts'

/** Deletes a check with its results and its history. */
export function removeCheck(ctx: Context, caller: Caller, id: number): Promise<void> {
  return ctx.transaction(async (tx, emit) => {
    // Results that arrive in this moment are stored before, and their alert ends with the check.
    await lockRow(tx, 'checks', 'id', id)
    const check = await requireOwnCheck(tx, caller, id)
    const before = viewForAudit(check)
    const over = { checkId: id, at: ctx.now(), severity: null, text: 'The check was deleted.' }
    await takeCheckFindings({ ctx, tx, emit }, [over], 'server')
    await deleteCheckRow(tx, id)
    await redefineChecks(tx, emit, { agentIds: [check.agent_id] })
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'check',
      message: `Deleted the check "${before.check}" of "${check.hostname}"`,
      before,
      agent: check,
      at: ctx.now(),
      emit,
    })
    emit({ type: 'check.changed', ids: [id], agent_ids: [check.agent_id] })
    emit({ type: 'agent.changed', ids: [check.agent_id], agent_ids: [check.agent_id] })
  })
}
