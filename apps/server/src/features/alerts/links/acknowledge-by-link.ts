import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { AlertLinksTable } from '../../../platform/database/tables/alerts.ts'
import { NOBODY } from '../../../platform/http/route.ts'
import { changeAlert } from '../change-alerts.ts'
import { findNotifiedAlerts, type NotifiedRow } from '../channels/notice-queries.ts'
import { lockAlerts } from '../queries.ts'
import { findLink, markUsed } from './alert-links.ts'

interface LinkedAlert {
  link: AlertLinksTable
  alert: NotifiedRow
}

/** The effect of a link now. Only the states with an alert show anything of it. */
export type AlertLinkState =
  | { state: 'unknown' | 'expired' }
  | { state: 'used'; link: AlertLinksTable }
  | ({ state: 'resolved' | 'acknowledged' | 'ready' | 'done' } & LinkedAlert)

/** Reads a link without changing anything: mail programs open links to preview them. */
export async function readLink(
  { db, now }: { db: Db; now: () => Date },
  token: string,
): Promise<AlertLinkState> {
  const link = await findLink(db, token)
  if (link === undefined) return { state: 'unknown' }
  if (link.used_at !== null) return { state: 'used', link }
  if (link.expires_at <= now().toISOString()) return { state: 'expired' }
  const [alert] = await findNotifiedAlerts(db, [link.alert_id])
  if (alert === undefined) return { state: 'unknown' }
  if (alert.state === 'resolved' || alert.state === 'acknowledged') return { state: alert.state, link, alert }
  return { state: 'ready', link, alert }
}

/** Acknowledges the alert of a link in the name of its recipient, if the link is ready. */
export async function acknowledgeByLink(
  ctx: Context,
  token: string,
  source: string,
): Promise<AlertLinkState> {
  const found = await readLink(ctx, token)
  if (!('alert' in found)) return found
  return ctx.transaction(async (tx, emit) => {
    // Read again: a second click may have come between the two reads. The alert is locked before the link, as when
    // links are issued.
    await lockAlerts(tx, ctx.engine, [found.link.alert_id])
    const now = await readLink({ db: tx, now: ctx.now }, token)
    if (now.state !== 'ready') return now
    const { link, alert } = now
    await markUsed(tx, link.digest, ctx.now())
    // The link names its alert, so no other scope counts.
    const caller = { ...NOBODY, username: link.recipient, source, scope: { all: true as const } }
    const note = 'By the link in the notification.'
    await changeAlert({ ctx, tx, emit }, caller, alert.id, { type: 'acknowledge', note })
    return { state: 'done', link, alert }
  })
}
