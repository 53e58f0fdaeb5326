import { AppError } from '@muster/contract/errors'
import { canCancel, isFinal } from '@muster/rules/agents/history-state'
import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { findHistory, updateHistory } from './queries.ts'

/**
 * Cancels a run. One that still waits ends at once; for any other the machine is asked to stop it, now or when it
 * is back, and the row says `cancelled` when the machine has said so.
 */
export async function cancelRun(ctx: Context, caller: Caller, id: number): Promise<{ agentId: string }> {
  const row = await findHistory(ctx.db, id, caller)
  if (row === undefined) throw new AppError('not_found', 'There is no such entry in the history.')
  if (isFinal(row.state)) throw new AppError('already_finished', `This has ended already (${row.state}).`)
  if (!canCancel(row))
    throw new AppError(
      'conflict',
      'An installation that has begun cannot be stopped: it would be left half done.',
    )
  await ctx.transaction(async (tx, emit) => {
    const values = {
      state: 'cancelled' as const,
      reason: `Cancelled by ${caller.username} before it was sent.`,
      finished_at: ctx.now().toISOString(),
      command_input: '',
    }
    const ended = await updateHistory(tx, id, ['queued'], values)
    if (!ended) await updateHistory(tx, id, ['sent', 'accepted', 'running'], { cancel_requested: 1 })
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'agent',
      message: `Cancelled "${row.command.slice(0, 200)}"`,
      before: { history: id, state: row.state },
      agent: { agent_id: row.agent_id },
      emit,
    })
    if (ended) emit({ type: 'agent.changed', ids: [row.agent_id], agent_ids: [row.agent_id] })
    emit({ type: 'history.changed', ids: [id], agent_ids: [row.agent_id] })
  })
  return { agentId: row.agent_id }
}
