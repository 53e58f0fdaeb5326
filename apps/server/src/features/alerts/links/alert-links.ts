import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import { DeletionSteps } from '../../../platform/database/deletion-steps.ts'
import type { AlertLinksTable } from '../../../platform/database/tables/alerts.ts'
import type { Job } from '../../../platform/jobs/run-job.ts'
import { everyDay } from '../../../platform/jobs/schedule.ts'
import { digestOf } from '../../../platform/secrets/secrets.ts'
import type { AcknowledgeLink } from '../channels/message.ts'
import type { NoticeRow } from '../channels/notice-queries.ts'

/** The address of a link: `/a/<token>`. */
export const LINK_PATH = '/a/:token'
const LINK_HOURS = 48
const HOUR_MS = 3_600_000
/** Until then an expired link can say that it has expired. */
const KEPT_DAYS = 30

/**
 * Creates the links of a message about one open alert. A message that is sent again has the same links. Only their
 * digests are stored, so the database opens none of them.
 */
export async function issueLinks(
  ctx: Pick<Context, 'config' | 'now' | 'secrets'>,
  tx: Db,
  {
    notices,
    recipients,
    timeZone,
  }: { notices: readonly NoticeRow[]; recipients: string[]; timeZone: string },
): Promise<AcknowledgeLink[]> {
  const [notice, ...others] = notices
  const { publicUrl } = ctx.config
  if (notice === undefined || others.length > 0 || notice.kind === 'resolved') return []
  if (publicUrl === undefined) return []
  const expires_at = new Date(ctx.now().getTime() + LINK_HOURS * HOUR_MS).toISOString()
  const links: AcknowledgeLink[] = []
  for (const recipient of new Set(recipients)) {
    const text = `${notice.id} ${notice.created_at} ${recipient}`
    const token = ctx.secrets.deriveToken(text, 'alert link')
    const row = { digest: digestOf(token), alert_id: notice.alert_id, recipient, time_zone: timeZone }
    await tx
      .insertInto('alert_links')
      .values({ ...row, expires_at, used_at: null })
      .onConflict((conflict) => conflict.column('digest').doUpdateSet({ expires_at }))
      .execute()
    links.push({ recipient, url: `${publicUrl}${LINK_PATH.replace(':token', token)}` })
  }
  return links
}

export function findLink(db: Db, token: string): Promise<AlertLinksTable | undefined> {
  return db.selectFrom('alert_links').selectAll().where('digest', '=', digestOf(token)).executeTakeFirst()
}

export async function markUsed(tx: Db, digest: string, at: Date): Promise<void> {
  await tx
    .updateTable('alert_links')
    .set({ used_at: at.toISOString() })
    .where('digest', '=', digest)
    .execute()
}

export function alertLinkJobs(ctx: Context): Job[] {
  return [
    {
      name: 'alert-links.remove-expired',
      schedule: everyDay('03:25'),
      run: async (_, signal) => {
        const before = new Date(ctx.now().getTime() - KEPT_DAYS * 24 * HOUR_MS).toISOString()
        await new DeletionSteps(ctx, signal).take((tx, limit) => removeExpired(tx, before, limit))
      },
    },
  ]
}

async function removeExpired(tx: Db, before: string, limit: number): Promise<number> {
  const some = tx.selectFrom('alert_links').select('digest').where('expires_at', '<', before).limit(limit)
  const result = await tx.deleteFrom('alert_links').where('digest', 'in', some).executeTakeFirst()
  return Number(result.numDeletedRows)
}
