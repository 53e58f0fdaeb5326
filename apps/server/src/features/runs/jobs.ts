import { HISTORY_STATES, isFinal } from '@muster/rules/agents/history-state'
import { pruneBefore } from '@muster/rules/schedules/retention'
import type { Context } from '../../context.ts'
import type { Job } from '../../platform/jobs/run-job.ts'
import { everyDay } from '../../platform/jobs/schedule.ts'
import type { Db } from '../../platform/database/database.ts'
import { DeletionSteps } from '../../platform/database/deletion-steps.ts'
import { readCoreSettings } from '../../platform/config/core-settings.ts'

export function historyJobs(ctx: Context): Job[] {
  return [
    {
      name: 'history.remove-old',
      schedule: everyDay('03:30'),
      run: (_, signal) => removeOldRuns(ctx, signal),
    },
  ]
}

const RUNS_AT_ONCE = 200
const OPEN_STATES = HISTORY_STATES.filter((state) => !isFinal(state))

/** Deletes runs that ended before the retention limit. Output is deleted first, in steps of its own. */
export async function removeOldRuns(ctx: Context, signal: AbortSignal): Promise<void> {
  const { agent_history_prune_days: days } = await readCoreSettings(ctx.db)
  const before = pruneBefore(days, ctx.now())
  if (before === undefined) return
  const steps = new DeletionSteps(ctx, signal)
  for (;;) {
    signal.throwIfAborted()
    const ids = await findOldRuns(ctx.db, before)
    if (ids.length === 0) break
    await steps.take((tx, limit) => deleteOutput(tx, ids, limit))
    await steps.take((tx, limit) => deleteRuns(tx, ids, limit))
  }
  ctx.log.info(steps.figures, 'old runs deleted')
}

/** Excludes those whose result an alert action has not read yet. */
async function findOldRuns(db: Db, before: string): Promise<number[]> {
  const rows = await db
    .selectFrom('agent_history')
    .select('id')
    .where('finished_at', '<', before)
    // The end is measured by the machine's clock, which may be wrong.
    .where('time', '<', before)
    // Not `in` the final states: SQLite would read the index of states and sort.
    .where('state', 'not in', OPEN_STATES)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('alert_actions')
            .select('alert_actions.id')
            .whereRef('alert_actions.history_id', '=', 'agent_history.id')
            .where('alert_actions.state', '=', 'running'),
        ),
      ),
    )
    .orderBy('finished_at')
    .limit(RUNS_AT_ONCE)
    .execute()
  return rows.map(({ id }) => id)
}

async function deleteOutput(tx: Db, ids: number[], limit: number): Promise<number> {
  const result = await tx
    .deleteFrom('history_output')
    .where((eb) =>
      eb(
        eb.refTuple('history_id', 'chunk'),
        'in',
        eb
          .selectFrom('history_output as old')
          .select(['old.history_id', 'old.chunk'])
          .where('old.history_id', 'in', ids)
          .limit(limit)
          .$asTuple('history_id', 'chunk'),
      ),
    )
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}

async function deleteRuns(tx: Db, ids: number[], limit: number): Promise<number> {
  const some = tx.selectFrom('agent_history').select('id').where('id', 'in', ids).limit(limit)
  const result = await tx.deleteFrom('agent_history').where('id', 'in', some).executeTakeFirst()
  return Number(result.numDeletedRows)
}
