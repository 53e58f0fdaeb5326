import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { audit } from '../audit/write-audit.ts'
import { forgetResults } from './forget-results.ts'
import { type CheckRow, findChecks } from './queries.ts'
import { requireCheck } from './require-check.ts'
import { viewCheck } from './view.ts'

const RESET = 'The check was reset.'

export function resetOne(ctx: Context, caller: Caller, id: number): Promise<CheckRow> {
  return ctx.transaction(async (tx, emit) => {
    const check = await requireCheck(tx, caller, id)
    const at = ctx.now()
    if ((await forgetResults({ ctx, tx, emit }, [check], { at, why: RESET })) === 0) return check
    const { readable_desc, check_result } = viewCheck(check)
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'check',
      message: `Reset the check "${readable_desc}" of "${check.hostname}"`,
      before: stateForAudit(check_result),
      after: { status: 'pending' },
      agent: check,
      at,
      emit,
    })
    return requireCheck(tx, caller, id)
  })
}

export function resetAll(ctx: Context, caller: Caller, agentId: string): Promise<{ changed: number }> {
  return ctx.transaction(async (tx, emit) => {
    const agent = await requireAgent(tx, agentId, caller)
    const checks = await findChecks(tx, caller, agentId)
    const at = ctx.now()
    const changed = await forgetResults({ ctx, tx, emit }, checks, { at, why: RESET })
    if (changed === 0) return { changed }
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'check',
      message: `Reset all checks of "${agent.hostname}"`,
      before: checks.map(viewCheck).map(({ readable_desc, check_result }) => ({
        check: readable_desc,
        ...stateForAudit(check_result),
      })),
      after: { status: 'pending', checks: changed },
      agent,
      at,
      emit,
    })
    return { changed }
  })
}

function stateForAudit({ status, more_info, fail_count }: ReturnType<typeof viewCheck>['check_result']) {
  return { status, more_info, fail_count }
}
