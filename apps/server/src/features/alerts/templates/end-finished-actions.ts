import { isFinal } from '@muster/rules/agents/history-state'
import type { Context } from '../../../context.ts'
import { chunk } from '../../../platform/database/sql.ts'
import { findOutput, findRuns, type HistoryRow, viewResult } from '../../runs/queries.ts'
import { type ActionRow, isOver, lockActions } from './action-queries.ts'
import { type ActionContext, describeOutput, endAction } from './end-action.ts'

/**
 * Ends the actions whose scripts ended. Call it with the changed runs, after their transaction: the lock of an alert
 * must come before that of a run. endForgottenActions finds what a crash in between leaves.
 */
export async function endFinishedActions(ctx: Context, runs: readonly HistoryRow[]): Promise<void> {
  const ended = new Map(runs.filter(({ state }) => isFinal(state)).map((run) => [run.id, run]))
  for (const slice of chunk([...ended.keys()])) {
    const actions = await ctx.db
      .selectFrom('alert_actions')
      .select(['id', 'alert_id'])
      .where('history_id', 'in', slice)
      .where('state', '=', 'running')
      .orderBy('id')
      .execute()
    for (const found of actions) {
      await ctx.transaction((tx, emit) => settle({ ctx, tx, emit }, found, ended))
    }
  }
}

async function settle(
  txContext: ActionContext,
  { id, alert_id }: Pick<ActionRow, 'id' | 'alert_id'>,
  ended: ReadonlyMap<number, HistoryRow>,
): Promise<void> {
  const action = (await lockActions(txContext.tx, alert_id)).find((one) => one.id === id)
  const run = ended.get(action?.history_id ?? 0)
  if (action === undefined || run === undefined || isOver(action)) return
  const output = describeOutput(run.reason ?? '', viewResult(run, await findOutput(txContext.tx, run.id, 0)))
  const state = run.state === 'done' && run.retcode === 0 ? 'done' : 'failed'
  await endAction(txContext, action, {
    state,
    retcode: run.retcode,
    executionTime: run.execution_time,
    output,
  })
}

/** Ends actions of runs that ended without a report: expired, cancelled, lost. */
export async function endForgottenActions(ctx: Context): Promise<void> {
  const running = await ctx.db
    .selectFrom('alert_actions')
    .select('history_id')
    .where('state', '=', 'running')
    .where('history_id', 'is not', null)
    .execute()
  const ids = running.flatMap(({ history_id }) => history_id ?? [])
  for (const slice of chunk(ids)) {
    const runs = (await findRuns(ctx.db, slice)).filter(({ state }) => isFinal(state))
    await endFinishedActions(ctx, runs)
  }
}
