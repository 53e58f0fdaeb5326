import type { Selectable, Updateable } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import { lockRow } from '../../platform/database/lock-row.ts'
import type { AlertActionsTable } from '../../platform/database/tables/alert-templates.ts'

export type ActionRow = Selectable<AlertActionsTable>

export function findAction(db: Db, id: number): Promise<ActionRow | undefined> {
  return db.selectFrom('alert_actions').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The actions of an alert, what was planned first before the rest. */
export function findActions(db: Db, alertId: number): Promise<ActionRow[]> {
  return db.selectFrom('alert_actions').selectAll().where('alert_id', '=', alertId).orderBy('id').execute()
}

/** The same, kept from others until the transaction ends. */
export async function lockActions(tx: Db, alertId: number): Promise<ActionRow[]> {
  for (const { id } of await findActions(tx, alertId)) await lockRow(tx, 'alert_actions', 'id', id)
  return findActions(tx, alertId)
}

export async function updateAction(tx: Db, id: number, change: Updateable<AlertActionsTable>): Promise<void> {
  await tx.updateTable('alert_actions').set(change).where('id', '=', id).execute()
}

export function isOver({ state }: Pick<ActionRow, 'state'>): boolean {
  return state !== 'waiting' && state !== 'running'
}
