import type { Context } from '../../../context.ts'
import { slicesOf } from '../../../platform/database/slices-of.ts'
import { updateHistory } from '../../runs/queries.ts'
import { type ActionRow, isOver, lockActions } from './action-queries.ts'
import { type ActionScene, endAction } from './end-action.ts'
import type { Work } from './plan-actions.ts'

/**
 * Calls off the failure scripts of alerts that are over, as far as they have not begun: the server has not come to
 * them yet, or their machine is away. What was sent may have begun, and goes on; a webhook is sent all the same, since
 * the other side hears of the end as well.
 */
export async function callOffActions(scene: ActionScene, alertIds: readonly number[]): Promise<void> {
  for (const slice of slicesOf(alertIds)) {
    const found = await scene.tx
      .selectFrom('alert_actions')
      .select('alert_id')
      .where('alert_id', 'in', slice)
      .where('kind', '=', 'failure')
      .where('state', 'in', ['waiting', 'running'])
      .orderBy('alert_id')
      .execute()
    for (const { alert_id } of found) {
      const action = (await lockActions(scene.tx, alert_id)).find(({ kind }) => kind === 'failure')
      if (action === undefined || isOver(action) || !isScript(action)) continue
      const { state, history_id } = action
      const isFree = state === 'waiting' || (history_id !== null && (await cancelQueued(scene, history_id)))
      if (isFree) await endAction(scene, action, CALLED_OFF)
    }
  }
}

/** The same for alerts that ended while it was not known whether these machines had got what was sent to them. */
export async function callOffOver(ctx: Context, agentIds: readonly string[]): Promise<void> {
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
  await ctx.transaction((tx, emit) => callOffActions({ ctx, tx, emit }, alertIds))
}

const CALLED_OFF = {
  state: 'called_off' as const,
  retcode: null,
  executionTime: null,
  output: 'The alert was over before it began.',
}

function isScript({ work }: ActionRow): boolean {
  // Made by workOf.
  return (JSON.parse(work) as Work).type !== 'rest'
}

/** Ends a run that waits for its machine; false when it does not wait any more, or is just being sent. */
async function cancelQueued({ ctx, tx, emit }: ActionScene, id: number): Promise<boolean> {
  const run = await tx
    .selectFrom('agent_history')
    .select('agent_id')
    .where('id', '=', id)
    .where('state', '=', 'queued')
    // Who holds it may want the alert, which is held here.
    .$if(ctx.engine === 'postgres', (query) => query.forUpdate().skipLocked())
    .executeTakeFirst()
  if (run === undefined) return false
  await updateHistory(tx, id, ['queued'], {
    state: 'cancelled',
    reason: 'The alert that it was for was over before the machine was back.',
    finished_at: ctx.now().toISOString(),
    command_input: '',
  })
  const agent_ids = [run.agent_id]
  emit({ type: 'agent.changed', ids: agent_ids, agent_ids })
  emit({ type: 'history.changed', ids: [id], agent_ids })
  return true
}
