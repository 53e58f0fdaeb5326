import { isTaskOver } from '@muster/rules/schedules/task-schedule'
import { isMachineZone } from '@muster/rules/schedules/zone-time'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { lockRow } from '../../platform/database/change-row.ts'
import { findTask, type TaskRow } from './queries.ts'
import { takeAway } from './write-task.ts'
import { readFields } from './view.ts'
import { zoneOf } from './run-queries.ts'

const ALL = { scope: { all: true, clientIds: [], siteIds: [] } }
const SERVER = { username: 'server', source: '' }
/** By then a machine has reported its runs. */
const QUIET_MS = 600_000

/**
 * Deletes tasks with `remove_if_not_scheduled` and no future run. The machine must have been connected for a while, so
 * that no report or missed run is lost. Running tasks and those whose last run failed stay.
 */
export async function removeOverTasks(ctx: Context): Promise<void> {
  for (const id of await findCandidates(ctx.db, quietSince(ctx))) {
    await ctx.transaction(async (tx, emit) => {
      await lockRow(tx, 'tasks', 'id', id)
      // Changed or deleted since it was found.
      const task = await findTask(tx, ALL, id)
      if (task === undefined || !(await isOver(tx, task, quietSince(ctx)))) return
      const message = `Deleted the expired task "${task.name}" of "${task.hostname}"`
      await takeAway({ ctx, tx, emit }, task, { by: SERVER, message })
    })
  }
}

const quietSince = (ctx: Context) => new Date(ctx.now().getTime() - QUIET_MS)

async function findCandidates(db: Db, since: Date): Promise<number[]> {
  const rows = await db
    .selectFrom('tasks')
    .innerJoin('agents', 'agents.agent_id', 'tasks.agent_id')
    .select('tasks.id')
    .where('policy_id', 'is', null)
    .where('settings', 'like', '%"remove_if_not_scheduled":true%')
    .where('connected', '=', 1)
    // For a connected machine this is the time of its connect.
    .where('last_seen', '<', since.toISOString())
    .orderBy('tasks.id')
    .execute()
  return rows.map(({ id }) => id)
}

async function isOver(tx: Db, task: TaskRow, since: Date): Promise<boolean> {
  const fields = readFields(task)
  if (!fields.remove_if_not_scheduled || task.run_status === 'running' || task.status === 'failing')
    return false
  const zone = await zoneOf(tx, task.agent_id)
  return isTaskOver(fields, isMachineZone(zone) ? zone : 'UTC', since.getTime())
}
