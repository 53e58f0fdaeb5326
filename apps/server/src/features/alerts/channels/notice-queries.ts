import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Db } from '../../../platform/database/database.ts'
import { chunk } from '../../../platform/database/sql.ts'
import type { AlertNoticesTable, AlertsTable } from '../../../platform/database/tables/alerts.ts'

/**
 * Notices of an alert are written only while its row is locked (lockAlerts), so planning and sending never decide about
 * the same notice at once and cannot deadlock.
 */
export type NoticeRow = Selectable<AlertNoticesTable>
export type AlertRow = Omit<Selectable<AlertsTable>, 'told'>

/** Maximum notices per message. */
export const MAX_AT_ONCE = 500

export async function findNotices(tx: Db, alertIds: readonly number[]): Promise<NoticeRow[]> {
  const found: NoticeRow[] = []
  for (const slice of chunk(alertIds)) {
    const query = tx.selectFrom('alert_notices').selectAll().where('alert_id', 'in', slice)
    found.push(...(await query.orderBy('id').execute()))
  }
  return found
}

export function findDue(db: Db, channelId: number, now: string): Promise<NoticeRow[]> {
  return db
    .selectFrom('alert_notices')
    .selectAll()
    .where('channel_id', '=', channelId)
    .where('state', '=', 'waiting')
    .where('due_at', '<=', now)
    .orderBy('id')
    .limit(MAX_AT_ONCE)
    .execute()
}

/** Channels with notices that have been waiting since before this time. */
export async function findLateChannels(db: Db, before: string): Promise<number[]> {
  const rows = await db
    .selectFrom('alert_notices')
    .select('channel_id')
    .distinct()
    .where('state', '=', 'waiting')
    .where('due_at', '<=', before)
    .execute()
  return rows.map(({ channel_id }) => channel_id)
}

/** Skips existing ones: a notice is planned once. */
export async function insertNotices(
  tx: Db,
  notices: readonly Insertable<AlertNoticesTable>[],
): Promise<NoticeRow[]> {
  const inserted: NoticeRow[] = []
  for (const slice of chunk(notices)) {
    const query = tx
      .insertInto('alert_notices')
      .values(slice)
      .onConflict((conflict) => conflict.columns(['alert_id', 'channel_id', 'kind', 'turn']).doNothing())
    inserted.push(...(await query.returningAll().execute()))
  }
  return inserted
}

/** Updates those that are still waiting, and returns them. */
export async function updateWaiting(
  tx: Db,
  ids: readonly number[],
  change: Updateable<AlertNoticesTable>,
): Promise<number[]> {
  const changed: number[] = []
  for (const slice of chunk(ids)) {
    const query = tx
      .updateTable('alert_notices')
      .set(change)
      .where('id', 'in', slice)
      .where('state', '=', 'waiting')
    changed.push(...(await query.returning('id').execute()).map(({ id }) => id))
  }
  return changed
}

/** Alerts with the names of their machine, site and client. */
export async function findNotifiedAlerts(db: Db, alertIds: readonly number[]) {
  const found = []
  for (const slice of chunk(alertIds)) {
    const rows = await db
      .selectFrom('alerts')
      .leftJoin('agents', 'agents.agent_id', 'alerts.agent_id')
      .leftJoin('sites', (join) =>
        join.on((eb) => eb('sites.id', '=', eb.fn.coalesce('agents.site_id', 'alerts.site_id'))),
      )
      .leftJoin('clients', 'clients.id', 'sites.client_id')
      .selectAll('alerts')
      .select(['agents.hostname', 'sites.id as place_id', 'sites.name as site'])
      .select(['clients.id as client_id', 'clients.name as client'])
      .select(['agents.overdue_email_alert', 'agents.overdue_text_alert', 'agents.monitoring_type'])
      .select(['agents.alert_template_id as agent_template', 'sites.alert_template_id as site_template'])
      .select('clients.alert_template_id as client_template')
      .select((eb) =>
        eb.fn.coalesce('agents.policy_templates', 'sites.policy_templates').as('policy_templates'),
      )
      .select((eb) =>
        eb
          .selectFrom('alert_log')
          .whereRef('alert_log.alert_id', '=', 'alerts.id')
          .where('alert_log.kind', '=', 'resolved')
          .orderBy('alert_log.id', 'desc')
          .limit(1)
          .select('text')
          .as('resolution'),
      )
      .where('alerts.id', 'in', slice)
      .execute()
    found.push(...rows)
  }
  return found
}
export type NotifiedRow = Awaited<ReturnType<typeof findNotifiedAlerts>>[number]

/** Overdue settings of the machines of these sites: one machine with the flag is enough for its site. */
export async function findSiteFlags(db: Db, siteIds: readonly number[]) {
  if (siteIds.length === 0) return new Map<number, { email: boolean; text: boolean }>()
  const rows = await db
    .selectFrom('agents')
    .select(['site_id', (eb) => eb.fn.max('overdue_email_alert').as('email')])
    .select((eb) => eb.fn.max('overdue_text_alert').as('text'))
    .where('site_id', 'in', siteIds)
    .groupBy('site_id')
    .execute()
  return new Map(
    rows.map(({ site_id, email, text }) => [
      site_id,
      { email: Number(email) === 1, text: Number(text) === 1 },
    ]),
  )
}
