import type { Selectable } from 'kysely'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { AlertNoticesTable, AlertsTable } from '../../platform/database/tables/alerts.ts'

export interface Tellable {
  alert: Selectable<AlertsTable>
  kind: AlertNoticesTable['kind']
}

/** Stores what is to be told of these alerts on which channels, in the transaction that changes them. */
export async function planNotices(
  _ctx: Pick<Context, 'jobs' | 'now'>,
  _tx: Db,
  _told: readonly Tellable[],
): Promise<void> {
  // Written with the channels.
}
