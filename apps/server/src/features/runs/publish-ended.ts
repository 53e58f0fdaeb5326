import { isFinal } from '@muster/rules/agents/history-state'
import type { Context } from '../../context.ts'
import type { WebhookFact } from '../../hooks.ts'
import type { Db } from '../../platform/database/database.ts'
import { findRuns, type HistoryRow } from './queries.ts'

/** Publishes those of these runs that have ended. Runs of a job are part of the job. */
export async function publishEnded(
  ctx: Pick<Context, 'jobs' | 'now' | 'hooks'>,
  tx: Db,
  runs: readonly HistoryRow[],
): Promise<void> {
  const ended = runs.filter(({ state, fleet_job_id }) => isFinal(state) && fleet_job_id === null)
  await ctx.hooks.publish(ctx, tx, ended.map(factOf))
}

export async function publishEndedIds(ctx: Context, tx: Db, ids: number[]): Promise<void> {
  if (ids.length > 0) await publishEnded(ctx, tx, await findRuns(tx, ids))
}

/** Without the command, whose text may contain secrets. */
function factOf(run: HistoryRow): WebhookFact {
  return {
    event: 'run.finished',
    source: `run.finished:${run.id}`,
    agent_id: run.agent_id,
    data: {
      run: {
        id: run.id,
        type: run.type,
        state: run.state,
        reason: run.reason,
        script_name: run.script_name,
        username: run.username,
        retcode: run.retcode,
        execution_time: run.execution_time,
        started_at: run.started_at,
        finished_at: run.finished_at,
      },
    },
  }
}
