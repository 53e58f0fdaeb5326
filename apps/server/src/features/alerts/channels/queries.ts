import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Db } from '../../../platform/database/database.ts'
import type { AlertChannelsTable } from '../../../platform/database/tables/alerts.ts'

export type ChannelRow = Selectable<AlertChannelsTable>

export function findChannels(db: Db): Promise<ChannelRow[]> {
  return db.selectFrom('alert_channels').selectAll().orderBy('name').execute()
}

export function findChannel(db: Db, id: number): Promise<ChannelRow | undefined> {
  return db.selectFrom('alert_channels').selectAll().where('id', '=', id).executeTakeFirst()
}

export function insertChannel(tx: Db, row: Insertable<AlertChannelsTable>): Promise<ChannelRow> {
  return tx.insertInto('alert_channels').values(row).returningAll().executeTakeFirstOrThrow()
}

export function updateChannel(
  tx: Db,
  id: number,
  change: Updateable<AlertChannelsTable>,
): Promise<ChannelRow> {
  return tx
    .updateTable('alert_channels')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteChannelRow(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('alert_channels').where('id', '=', id).execute()
}

/** The setting with the time of the first test message that arrived. */
export const CHANNEL_TESTED = 'alert_channel_tested'

/** Returns whether it was the first. */
export async function noteTest(db: Db, now: Date): Promise<boolean> {
  const result = await db
    .insertInto('settings')
    .values({ name: CHANNEL_TESTED, value: JSON.stringify(now.toISOString()) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirst()
  return Number(result.numInsertedOrUpdatedRows) === 1
}

/** Number of waiting messages per channel, without planned repetitions. */
export async function countWaiting(db: Db): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('alert_notices')
    .select((eb) => ['channel_id', eb.fn.countAll().as('count')])
    .where('state', '=', 'waiting')
    .where((eb) => eb.or([eb('kind', '!=', 'repeated'), eb('attempts', '>', 0)]))
    .groupBy('channel_id')
    .execute()
  return new Map(rows.map(({ channel_id, count }) => [channel_id, Number(count)]))
}

/** Returns the existing ones of these client ids. */
export async function findClientIds(db: Db, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await db.selectFrom('clients').select('id').where('id', 'in', ids).execute()
  return new Set(rows.map(({ id }) => id))
}
