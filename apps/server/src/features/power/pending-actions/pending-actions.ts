import { AppError } from '@muster/contract/errors'
import type { Event } from '@muster/contract/events'
import type { Context } from '../../../context.ts'
import { requireRow } from '../../../platform/database/change-row.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { audit } from '../../audit/write-audit.ts'
import { deletePending, findAction } from './queries.ts'

/** Cancels a pending action. A started one cannot be cancelled. */
export async function cancelAction(ctx: Context, caller: Caller, id: number): Promise<void> {
  const action = requireRow(await findAction(ctx.db, id, caller), 'pending action')
  await ctx.transaction(async (tx, emit) => {
    if ((await deletePending(tx, { id })).length === 0)
      throw new AppError('already_finished', 'This action has already started and cannot be cancelled.')
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'agent',
      message: 'Cancelled the planned restart',
      before: { id, due: action.due, username: action.username },
      agent: action,
      emit,
    })
    emitActions(emit, [id], action.agent_id)
  })
}

/** Lists of pending actions changed, and the number in the row of the machine. */
export function emitActions(emit: (event: Event) => void, ids: number[], agentId: string): void {
  emit({ type: 'pendingaction.changed', ids, agent_ids: ids.map(() => agentId) })
  emit({ type: 'agent.changed', ids: [agentId], agent_ids: [agentId] })
}
