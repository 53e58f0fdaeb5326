import type { Context } from '../../../context.ts'
import { chunk } from '../../../platform/database/sql.ts'
import { updateHistory } from '../../runs/queries.ts'
import { type ActionRow, isOver, lockActions } from './action-queries.ts'
import { type ActionContext, endAction } from './end-action.ts'
import type { Work } from './plan-actions.ts'

/**
 * Cancels failure scripts of resolved alerts that have not started: the server has not begun them, or their machine is
 * offline. A script that was sent may have started and continues. A webhook is still sent, because the receiver is also
 * notified of the end.
 */
export async function cancelActions(txContext: ActionContext, alertIds: readonly number[]): Promise<void> {
  for (const slice of chunk(alertIds)) {
    const found = await txContext.tx
      .selectFrom('alert_actions')
      .select('alert_id')
      .where('alert_id', 'in', slice)
      .where('kind', '=', 'failure')
      .where('state', 'in', ['waiting', 'running'])
      .orderBy('alert_id')
      .execute()
    for (const { alert_id } of found) {
      const action = (await lockActions(txContext.tx, alert_id)).find(({ kind }) => kind === 'failure')
      if (action === undefined || isOver(action) || !isScript(action)) continue
      const { state, history_id } = action
      const isFree =
        state === 'waiting' || (history_id !== null && (await cancelQueued(txContext, history_id)))
      if (isFree) await endAction(txContext, action, CANCELLED)
    }
  }
}

/** Cancels scripts of alerts that resolved while it was unknown whether these machines had received them. */
export async function cancelResolvedActions(ctx: Context, agentIds: readonly string[]): Promise<void> {
  const over = await ctx.db
    .selectFrom('alert_actions')
    .innerJoin('alerts', 'alerts.id', 'alert_actions.alert_id')
    .innerJoin('agent_history', 'agent_history.id', 'alert_actions.history_id')
    .select('alert_actions.alert_id')
    .where('alert_actions.state', '=', 'running')
    .where('alert_actions.kind', '=', 'failure')
    .where('alerts.open_cause', 'is', null)
    .where('agent_history.state', '=', 'queued')
    .where('agent_history.agent_id', 'in', agentIds)
    .execute()
  if (over.length === 0) return
  const alertIds = over.map(({ alert_id }) => alert_id)
  await ctx.transaction((tx, emit) => cancelActions({ ctx, tx, emit }, alertIds))
}

const CANCELLED = {
  state: 'called_off' as const,
  retcode: null,
  executionTime: null,
  output: 'Cancelled: the alert resolved before it started.',
}

function isScript({ work }: ActionRow): boolean {
  // Written by workOf.
  return (JSON.parse(work) as Work).type !== 'rest'
}

/** Cancels a queued run. Returns false if it is no longer queued, or is just being sent. */
async function cancelQueued({ ctx, tx, emit }: ActionContext, id: number): Promise<boolean> {
  const run = await tx
    .selectFrom('agent_history')
    .select('agent_id')
    .where('id', '=', id)
    .where('state', '=', 'queued')
    // The holder of its row may be waiting for the alert, which is locked here.
    .$if(ctx.engine === 'postgres', (query) => query.forUpdate().skipLocked())
    .executeTakeFirst()
  if (run === undefined) return false
  await updateHistory(tx, id, ['queued'], {
    state: 'cancelled',
    reason: 'Cancelled: its alert resolved before the machine reconnected.',
    finished_at: ctx.now().toISOString(),
    command_input: '',
  })
  const agent_ids = [run.agent_id]
  emit({ type: 'agent.changed', ids: agent_ids, agent_ids })
  emit({ type: 'history.changed', ids: [id], agent_ids })
  return true
}
