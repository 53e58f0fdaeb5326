import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { requireRow } from '../../../platform/database/change-row.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { requireAgentToAct } from '../../agents/refuse-server-machine.ts'
import { audit } from '../../audit/write-audit.ts'
import { type ActionRow, deletePending, emitActions, findAction } from './pending-actions.ts'

const CANCELLED: Record<ActionRow['action_type'], string> = {
  schedreboot: 'Cancelled the planned restart',
  schedshutdown: 'Cancelled the planned shutdown',
  schedsignout: 'Cancelled the planned sign-out',
  agentupdate: 'Cancelled the update of the agent',
}

/**
 * Cancels a pending action. What no machine has yet ends here. A machine that has it forgets it at once, or, while it
 * is offline, as soon as it connects: then the action is returned, in the state `cancelling`. A started one cannot be
 * cancelled.
 */
export async function cancelAction(
  ctx: Context,
  { fleet, caller, id }: { fleet: Fleet; caller: Caller; id: number },
): Promise<ActionRow | undefined> {
  const action = requireRow(await findAction(ctx.db, id, caller), 'pending action')
  await requireAgentToAct(ctx.db, action.agent_id, caller)
  if (action.status === 'cancelling')
    throw new AppError('conflict', `This action will be cancelled when ${action.hostname} connects.`)
  const isSent = action.status === 'pending' && action.sent_at !== null
  const outcome = isSent ? await cancelOnMachine(fleet, action, caller.username) : 'cancelled'
  const isKept = outcome !== 'cancelled'
  return ctx.transaction(async (tx, emit) => {
    const isChanged = isKept
      ? await markCancelling(tx, action)
      : isSent
        ? await deleteSent(tx, id)
        : (await deletePending(tx, { id })).length > 0
    if (!isChanged)
      throw new AppError('already_finished', 'This action has already started and cannot be cancelled.')
    if (action.action_type === 'agentupdate') await deleteWaitingUpdate(tx, action.agent_id)
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'agent',
      message: `${CANCELLED[action.action_type]}${isKept ? ' for when the machine connects' : ''}`,
      before: { id, due: action.due, username: action.username },
      agent: action,
      emit,
    })
    if (outcome === 'silent') await askAgain(ctx, tx, id)
    emitActions(emit, [id], action.agent_id)
    return isKept ? findAction(tx, id) : undefined
  })
}

export const CANCEL_JOB = 'power.cancel-on-return'
/** A connected machine that did not respond is asked again after this time. */
const AGAIN_MS = 60_000

/** These machines have connected, and what they reported is stored: those that have a cancelled plan are to forget it. */
export async function continueCancelling(ctx: Context, agentIds: readonly string[]): Promise<void> {
  const rows = await ctx.db
    .selectFrom('pending_actions')
    .select('id')
    .where('agent_id', 'in', agentIds)
    .where('status', '=', 'cancelling')
    .execute()
  for (const { id } of rows) await ctx.jobs.enqueue(CANCEL_JOB, { id })
}

/** Cancels a plan on a machine that was offline when a user cancelled it. */
export async function cancelOnReturn(ctx: Context, fleet: Fleet, id: number): Promise<void> {
  const action = await findAction(ctx.db, id)
  if (action?.status !== 'cancelling') return
  let output = 'Cancelled when the machine connected.'
  try {
    const outcome = await cancelOnMachine(fleet, action, 'server')
    if (outcome === 'silent') return askAgain(ctx, ctx.db, id)
    if (outcome === 'offline') return
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    output = `Cancelled. ${error.message}`
  }
  await ctx.transaction(async (tx, emit) => {
    await tx
      .updateTable('pending_actions')
      .set({ status: 'completed', output, finished_at: ctx.now().toISOString() })
      .where('id', '=', id)
      .where('status', '=', 'cancelling')
      .execute()
    emitActions(emit, [id], action.agent_id)
  })
}

/** Throws AppError if the machine refuses. */
async function cancelOnMachine(
  fleet: Fleet,
  { agent_id, hostname, plan }: ActionRow,
  author: string,
): Promise<'cancelled' | 'offline' | 'silent'> {
  if (plan === null) return 'cancelled'
  try {
    await fleet.ask({ agent_id, hostname }, 'cancel-power', { input: { id: plan }, author })
    return 'cancelled'
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'agent_offline') return 'offline'
    if (error.code === 'unavailable') return 'silent'
    throw error
  }
}

async function markCancelling(tx: Db, { id, hostname }: ActionRow): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('pending_actions')
    .set({
      status: 'cancelling',
      output: `Cancelled, but ${hostname} is offline: it forgets the plan when it connects. Until then it can still run.`,
    })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

async function askAgain(ctx: Context, db: Db, id: number): Promise<void> {
  await ctx.jobs.enqueue(CANCEL_JOB, { id }, { dueAt: new Date(ctx.now().getTime() + AGAIN_MS), db })
}

async function deleteSent(tx: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('pending_actions')
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

async function deleteWaitingUpdate(tx: Db, agentId: string): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom('agent_updates')
    .where('agent_id', '=', agentId)
    .where('state', '=', 'waiting')
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n)
    throw new AppError('already_finished', 'This update has already started and cannot be cancelled.')
}
