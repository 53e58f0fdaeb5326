import type { createCheck, editCheck } from '@muster/contract/api/checks'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { laterThan, lockRow, refuseTaken } from '../../platform/database/change-row.ts'
import type { Caller, Scope } from '../../platform/http/caller.ts'
import { requireAgentToAct } from '../agents/refuse-server-machine.ts'
import { audit } from '../audit/write-audit.ts'
import { refuseRuns, runsOfCheck } from '../users/roles/refuse-runs.ts'
import { takeCheckFindings } from '../alerts/check-alerts.ts'
import type { Db } from '../../platform/database/database.ts'
import {
  completeCheck,
  refuseBadScript,
  refuseBadThresholds,
  takenCheck,
  toColumns,
} from './check-columns.ts'
import { settleDependency } from './dependency.ts'
import { refuseTarget } from './from-server/server-kind.ts'
import {
  type CheckRow,
  countChecks,
  deleteCheckRow,
  findCheck,
  findChecks,
  insertCheck,
  updateCheck,
} from './queries.ts'
import { markChecksStale } from './mark-checks-stale.ts'
import { readSettings, viewCheck, viewForAudit } from './view.ts'
import { rejudgeLast } from './judge-result.ts'
import { resetResults } from './reset-results.ts'

/** More would not fit into one command. */
const MAX_CHECKS = 500

export function addCheck(
  ctx: Context,
  caller: Caller,
  given: Omit<Parsed<typeof createCheck>['body'], 'agent' | 'policy'> & { agent: string },
): Promise<CheckRow> {
  const { fails_b4_alert, run_interval } = given
  return refuseTaken(takenCheck(given.settings), () =>
    ctx.transaction(async (tx, emit) => {
      const agent = await requireAgentToAct(tx, given.agent, caller)
      const settings = await completeCheck(tx, given.settings)
      refuseBadThresholds(settings)
      refuseTarget(settings, ctx.config.checkTargets)
      const author_id = await refuseRuns(tx, caller, { after: runsOfCheck(settings, 'This check') })
      await refuseBadScript(tx, agent, settings)
      if ((await countChecks(tx, agent.agent_id)) >= MAX_CHECKS) {
        throw new AppError('conflict', `A machine is limited to ${MAX_CHECKS} checks. Delete one first.`)
      }
      const dependency = { before: null, wanted: given.depends_on }
      const depends_on = await settleDependency({ ctx, tx, caller }, dependency)
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
      await markChecksStale(tx, emit, { checkIds: [id], by: caller })
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

type Change = Parsed<typeof editCheck>['body']

/** Changes a check. New thresholds apply at once to the last measurement. */
export function changeCheck(ctx: Context, caller: Caller, id: number, change: Change): Promise<CheckRow> {
  const save = () =>
    ctx.transaction(async (tx, emit) => {
      await lockRow(tx, 'checks', 'id', id)
      const before = await requireOwnCheck(tx, caller, id)
      const settings =
        change.settings === undefined ? readSettings(before) : await completeCheck(tx, change.settings)
      const { fails_b4_alert = before.fails_b4_alert, run_interval = before.run_interval } = change
      refuseOldSave(before, change)
      refuseBadThresholds(settings)
      refuseTarget(settings, ctx.config.checkTargets)
      const author_id = await refuseRuns(tx, caller, {
        before: { runs: runsOfCheck(readSettings(before), ''), author: before.author_id },
        after: runsOfCheck(settings, 'This check'),
      })
      const agent = await requireAgentToAct(tx, before.agent_id, caller)
      await refuseBadScript(tx, agent, settings)
      const dependency = { id, before: before.depends_on, wanted: change.depends_on }
      const depends_on = await settleDependency({ ctx, tx, caller }, dependency)
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
      await markChecksStale(tx, emit, { checkIds: [id], by: caller })
      await rejudgeLast({ ctx, tx, emit }, { before, after: await requireCheck(tx, caller, id), at })
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
      // It may now match a check of a policy.
      emit({ type: 'agent.changed', ids: [after.agent_id], agent_ids: [after.agent_id] })
      return after
    })
  return change.settings === undefined ? save() : refuseTaken(takenCheck(change.settings), save)
}

function refuseOldSave(before: CheckRow, { modified, settings }: Change): void {
  if (settings !== undefined && settings.check_type !== before.check_type) {
    const sentence = 'The type of a check cannot be changed. Delete the check and add another.'
    throw new AppError('invalid', sentence, { fields: { 'settings.check_type': [sentence] } })
  }
  if (modified === undefined || modified === before.modified) return
  const { readable_desc } = viewCheck(before)
  throw new AppError(
    'changed_meanwhile',
    `"${readable_desc}" of ${before.hostname} was changed by ${before.modified_by}. Reload it and try again.`,
  )
}

/** Deletes a check with its results and history. */
export function removeCheck(ctx: Context, caller: Caller, id: number): Promise<void> {
  return ctx.transaction(async (tx, emit) => {
    // Concurrent results are stored before, and their alert ends with the check.
    await lockRow(tx, 'checks', 'id', id)
    const check = await requireOwnCheck(tx, caller, id)
    await requireAgentToAct(tx, check.agent_id, caller)
    const before = viewForAudit(check)
    const over = { checkId: id, at: ctx.now(), severity: null, text: 'The check was deleted.' }
    await takeCheckFindings({ ctx, tx, emit }, [over], 'server')
    await deleteCheckRow(tx, id)
    await markChecksStale(tx, emit, { agentIds: [check.agent_id] })
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

const RESET = 'The check was reset.'

export function resetOne(ctx: Context, caller: Caller, id: number): Promise<CheckRow> {
  return ctx.transaction(async (tx, emit) => {
    const check = await requireCheck(tx, caller, id)
    await requireAgentToAct(tx, check.agent_id, caller)
    const at = ctx.now()
    if ((await resetResults({ ctx, tx, emit }, [check], { at, why: RESET })) === 0) return check
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
    const agent = await requireAgentToAct(tx, agentId, caller)
    const checks = await findChecks(tx, caller, agentId)
    const at = ctx.now()
    const changed = await resetResults({ ctx, tx, emit }, checks, { at, why: RESET })
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

/** Returns the check. Throws `not_found` if it does not exist or its machine is not visible. */
export async function requireCheck(db: Db, caller: { scope: Scope }, id: number): Promise<CheckRow> {
  const check = await findCheck(db, caller, id)
  if (check === undefined)
    throw new AppError('not_found', 'This check does not exist, or you may not see it.')
  return check
}

/** Refuses checks of policies, which are changed there. */
async function requireOwnCheck(db: Db, caller: { scope: Scope }, id: number): Promise<CheckRow> {
  const check = await requireCheck(db, caller, id)
  if (check.policy_id === null) return check
  throw new AppError(
    'conflict',
    `This check comes from the policy "${check.policy_name ?? 'that was just deleted'}". Change it there.`,
  )
}

/** A check or task belongs to a machine or to a policy. Throws `invalid` for both or none. */
export function ownerOf({
  agent,
  policy,
}: {
  agent?: string | undefined
  policy?: number | undefined
}): { agent: string } | { policy: number } {
  if (agent !== undefined && policy === undefined) return { agent }
  if (policy !== undefined && agent === undefined) return { policy }
  const sentence = 'Choose either a machine or a policy.'
  throw new AppError('invalid', sentence, { fields: { agent: [sentence] } })
}
