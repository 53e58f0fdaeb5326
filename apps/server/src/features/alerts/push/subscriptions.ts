import type { turnOnPush } from '@muster/contract/api/push'
import type { Parsed } from '@muster/contract/endpoint'
import type { Selectable } from 'kysely'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import { chunk } from '../../../platform/database/sql.ts'
import type { PushSubscriptionsTable } from '../../../platform/database/tables/users.ts'
import { mayDo } from '../../../platform/http/caller.ts'
import { findUserCaller } from '../../users/sessions/find-caller.ts'
import { findAlerts } from '../list-alerts.ts'

export type BrowserAddress = Parsed<typeof turnOnPush>['body']
export type SubscriptionRow = Selectable<PushSubscriptionsTable>

/** A browser that a message goes to. */
export interface Browser extends BrowserAddress {
  id: number
}

/** The subscriptions with these ids. */
export async function findBrowsers(
  { secrets }: Pick<Context, 'secrets'>,
  db: Db,
  ids: readonly number[],
): Promise<Browser[]> {
  const found: Browser[] = []
  for (const slice of chunk(ids)) {
    const rows = await db.selectFrom('push_subscriptions').selectAll().where('id', 'in', slice).execute()
    // Sealed by turn-on-push.ts.
    for (const { id, sealed } of rows)
      found.push({ id, ...(JSON.parse(secrets.decrypt(sealed)) as BrowserAddress) })
  }
  return found
}

export async function findBrowsersOf(
  ctx: Pick<Context, 'db' | 'secrets'>,
  userId: number,
): Promise<Browser[]> {
  const rows = await ctx.db
    .selectFrom('push_subscriptions')
    .select('id')
    .where('user_id', '=', userId)
    .execute()
  return findBrowsers(
    ctx,
    ctx.db,
    rows.map(({ id }) => id),
  )
}

/** Users with at least one browser. */
export async function findPushUsers(db: Db): Promise<Set<number>> {
  const rows = await db.selectFrom('push_subscriptions').select('user_id').distinct().execute()
  return new Set(rows.map(({ user_id }) => user_id))
}

/** The browsers of users who may see each alert, as their ids and users. */
export async function findReaders(
  ctx: Context,
  tx: Db,
  alertIds: readonly number[],
): Promise<Map<number, { id: number; userId: number }[]>> {
  const rows = await tx.selectFrom('push_subscriptions').select(['id', 'user_id']).orderBy('id').execute()
  const found = new Map<number, { id: number; userId: number }[]>()
  for (const [userId, browsers] of Map.groupBy(rows, ({ user_id }) => user_id)) {
    const caller = await findUserCaller({ ...ctx, db: tx }, { user_id: userId })
    if (caller === undefined || !mayDo(caller, 'can_list_alerts')) continue
    for (const slice of chunk(alertIds)) {
      for (const alert of await findAlerts(tx, caller, slice)) {
        const known = found.get(alert.id) ?? []
        found.set(alert.id, [...known, ...browsers.map(({ id }) => ({ id, userId }))])
      }
    }
  }
  return found
}
