import { AppError } from '@muster/contract/errors'
import type { Event } from '@muster/contract/events'
import type { Context } from '../../../context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { audit } from '../../audit/write-audit.ts'
import { deletePending, findAction } from './queries.ts'

/** Takes away what is pending. What has begun cannot be called off. */
export async function cancelAction(ctx: Context, caller: Caller, id: number): Promise<void> {
  const action = await findAction(ctx.db, id, caller)
  if (action === undefined) throw new AppError('not_found', 'There is no such pending action.')
  await ctx.transaction(async (tx, emit) => {
    if ((await deletePending(tx, { id })).length === 0)
      throw new AppError('already_finished', 'It has begun already, and cannot be called off any more.')
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'agent',
      message: 'Called off the planned restart',
      before: { id, due: action.due, username: action.username },
      agent: action,
      emit,
    })
    emitActions(emit, [id], action.agent_id)
  })
}

/** Lists of pending actions have changed, and the number that the machine's row shows. */
export function emitActions(emit: (event: Event) => void, ids: number[], agentId: string): void {
  emit({ type: 'pendingaction.changed', ids, agent_ids: ids.map(() => agentId) })
  emit({ type: 'agent.changed', ids: [agentId], agent_ids: [agentId] })
}
