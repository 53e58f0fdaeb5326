import type { Selectable, Updateable } from 'kysely'
import type { AlertActionRun } from '@muster/contract/api/alerts'
import type { Db } from '../../../platform/database/database.ts'
import { lockRow } from '../../../platform/database/change-row.ts'
import type { AlertActionsTable } from '../../../platform/database/tables/alerts.ts'
import type { Context } from '../../../context.ts'

export type ActionRow = Selectable<AlertActionsTable>

export function findAction(db: Db, id: number): Promise<ActionRow | undefined> {
  return db.selectFrom('alert_actions').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The actions of an alert, in the order in which they were planned. */
export function findActions(db: Db, alertId: number): Promise<ActionRow[]> {
  return db.selectFrom('alert_actions').selectAll().where('alert_id', '=', alertId).orderBy('id').execute()
}

/**
 * Locks the actions by locking their alert. The alert always comes first: resolving it holds its row before the
 * actions, and log entries wait for it.
 */
export async function lockActions(tx: Db, alertId: number): Promise<ActionRow[]> {
  await lockRow(tx, 'alerts', 'id', alertId)
  return findActions(tx, alertId)
}

export async function updateAction(tx: Db, id: number, change: Updateable<AlertActionsTable>): Promise<void> {
  await tx.updateTable('alert_actions').set(change).where('id', '=', id).execute()
}

export function isOver({ state }: Pick<ActionRow, 'state'>): boolean {
  return state !== 'waiting' && state !== 'running'
}

export const RUN_JOB = 'alert-templates.run-action'

/** Enqueues an action. It has one job, whatever the number of calls. */
export async function enqueueAction({ jobs }: Pick<Context, 'jobs'>, tx: Db, id: number): Promise<void> {
  await jobs.enqueue(RUN_JOB, { id }, { id: `alert-action:${id}:0`, db: tx })
}

export function viewAction(row: ActionRow): AlertActionRun {
  return {
    kind: row.kind,
    template: row.template_name,
    name: row.name,
    state: row.state,
    created: row.created_at,
    ended: row.ended_at,
    retcode: row.retcode,
    execution_time: row.execution_time,
    output: row.output,
    history_id: row.history_id,
  }
}
