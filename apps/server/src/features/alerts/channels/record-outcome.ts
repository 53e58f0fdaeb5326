import type { Event } from '@muster/contract/events'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import { lockRow } from '../../../platform/database/change-row.ts'
import { emitAlertsChanged, writeAlertLog } from '../alert-log.ts'
import { lockAlerts } from '../queries.ts'
import { repeatMinutes } from './decide-notice.ts'
import {
  type AlertRow,
  findNotices,
  findNotifiedAlerts,
  insertNotices,
  type NoticeRow,
  updateWaiting,
} from './notice-queries.ts'
import { enqueueSending, findChoices } from './plan-notices.ts'
import type { Prepared } from './prepare-message.ts'
import { type ChannelRow, findChannel } from './queries.ts'
import { openSettings, sealSettings } from './seal-settings.ts'
import type { MailOutcome } from './senders/email.ts'
import type { PushOutcome } from './senders/push.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const BACK_OFF_MS = [10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 30 * MINUTE_MS, 60 * MINUTE_MS]
/** Together with the hourly retries that follow, this is a day. */
const MAX_ATTEMPTS = BACK_OFF_MS.length + 23

/** An escalation chain repeats its own. */
const REPEATED: ReadonlySet<NoticeRow['kind']> = new Set(['opened', 'severity_changed', 'repeated'])

interface TxContext {
  ctx: Context
  tx: Db
  prepared: Prepared
  outcome: MailOutcome & PushOutcome
  at: Date
}

/** Records the outcome with the notices, in the logs of the alerts, and on the channel. */
export function recordOutcome(
  ctx: Context,
  prepared: Prepared,
  outcome: MailOutcome & PushOutcome,
): Promise<void> {
  return ctx.transaction(async (tx, emit) => {
    // The channel is locked before the alerts, as everywhere, which prevents deadlocks.
    await lockRow(tx, 'alert_channels', 'id', prepared.channel.id)
    const channel = await findChannel(tx, prepared.channel.id)
    // Deleted while the message was being sent, together with its notices.
    if (channel === undefined) return
    const txContext = { ctx, tx, prepared, outcome, at: ctx.now() }
    const alertIds = [...new Set(prepared.notices.map(({ alert_id }) => alert_id))].sort((a, b) => a - b)
    const alerts = new Map((await lockAlerts(tx, ctx.engine, alertIds)).map((alert) => [alert.id, alert]))
    const { notices } = prepared
    const changed = new Set(outcome.ok ? await noteSent(txContext, alerts) : await noteFailed(txContext))
    const { gone = [] } = outcome
    if (gone.length > 0) await tx.deleteFrom('push_subscriptions').where('id', 'in', gone).execute()
    // A channel does not fail because users have left it.
    if (outcome.ok || gone.length === 0) await noteHealth(txContext, channel, emit)
    const changedAlerts = notices
      .filter(({ id }) => changed.has(id))
      .flatMap(({ alert_id }) => alerts.get(alert_id) ?? [])
    emitAlertsChanged(emit, [...new Set(changedAlerts)])
  })
}

async function noteSent(txContext: TxContext, alerts: ReadonlyMap<number, AlertRow>): Promise<number[]> {
  const { ctx, tx, prepared, outcome, at } = txContext
  const { notices, channel } = prepared
  const ended_at = at.toISOString()
  const ids = notices.map(({ id }) => id)
  const sent = await updateWaiting(tx, ids, { state: 'sent', ended_at, answer: outcome.answer })
  const rows = notices.filter(({ id }) => sent.includes(id))
  const others = notices.length - 1
  const together =
    others === 0 ? '' : ` Sent in one message with ${others} ${others === 1 ? 'other' : 'others'}.`
  await log(txContext, rows, 'notice_sent', `${channel.name}: ${outcome.answer}${together}`)
  const repeats = await planRepeats(txContext, rows, alerts)
  await enqueueSending(ctx, tx, repeats)
  return sent
}

/** Plans the repetition. Whether the alert is still open and unacknowledged is checked when it is due. */
async function planRepeats(
  { tx, prepared, at }: TxContext,
  sent: readonly NoticeRow[],
  alerts: ReadonlyMap<number, AlertRow>,
): Promise<NoticeRow[]> {
  const { channel, rules } = prepared
  const notified = await findNotifiedAlerts(
    tx,
    sent.map(({ alert_id }) => alert_id),
  )
  const choices = await findChoices(tx, notified)
  const minutesOf = ({ alert_id }: NoticeRow) => repeatMinutes(rules, choices.get(alert_id))
  const open = sent.filter(
    (notice) =>
      REPEATED.has(notice.kind) && alerts.get(notice.alert_id)?.state === 'open' && minutesOf(notice) > 0,
  )
  const earlier = await findNotices(
    tx,
    open.map(({ alert_id }) => alert_id),
  )
  const planned = open.flatMap((sentNotice) => {
    const { alert_id } = sentNotice
    const before = earlier.filter(
      (notice) =>
        notice.alert_id === alert_id && notice.channel_id === channel.id && notice.kind === 'repeated',
    )
    if (before.some(({ state }) => state === 'waiting')) return []
    const due_at = new Date(at.getTime() + minutesOf(sentNotice) * MINUTE_MS).toISOString()
    return [{ alert_id, channel_id: channel.id, kind: 'repeated' as const, turn: before.length, due_at }]
  })
  return insertNotices(
    tx,
    planned.map((notice) => ({ ...notice, state: 'waiting', created_at: at.toISOString() })),
  )
}

async function noteFailed(txContext: TxContext): Promise<number[]> {
  const { ctx, tx, prepared, outcome, at } = txContext
  const { notices, channel } = prepared
  const { answer } = outcome
  const changed: number[] = []
  for (const [tried, rows] of Map.groupBy(notices, ({ attempts }) => attempts)) {
    const ids = rows.map(({ id }) => id)
    const attempts = tried + 1
    const waitMs = BACK_OFF_MS[Math.min(tried, BACK_OFF_MS.length - 1)] ?? 0
    const mayBeThere = outcome.unsure === true || prepared.isAgain
    const unsure = mayBeThere ? { unsure: 1 as const } : {}
    if (attempts >= MAX_ATTEMPTS) {
      const end = { state: 'failed', ended_at: at.toISOString() } as const
      changed.push(...(await updateWaiting(tx, ids, { ...end, attempts, answer, ...unsure })))
      await log(txContext, rows, 'notice_failed', `${channel.name}: Given up after a day. ${answer}`)
      continue
    }
    const due_at = new Date(at.getTime() + waitMs).toISOString()
    changed.push(...(await updateWaiting(tx, ids, { attempts, due_at, delivery: null, answer, ...unsure })))
    // Only once: the channel itself shows continued failures.
    if (tried === 0)
      await log(
        txContext,
        rows,
        'notice_failed',
        `${channel.name}: ${answer.replace(/\.?$/, '.')} Retrying for a day.`,
      )
    await enqueueSending(
      ctx,
      tx,
      rows.map(({ id, channel_id }) => ({ id, channel_id, due_at, attempts })),
    )
  }
  return changed
}

function log(
  { tx, at }: TxContext,
  notices: readonly NoticeRow[],
  kind: 'notice_sent' | 'notice_failed',
  text: string,
): Promise<void> {
  const entries = notices.map(({ alert_id }) => ({ alert_id, at: at.toISOString(), kind, text }))
  return writeAlertLog(tx, entries)
}

async function noteHealth(
  { ctx, tx, prepared, outcome, at }: TxContext,
  now: ChannelRow,
  emit: (event: Event) => void,
): Promise<void> {
  await tx
    .updateTable('alert_channels')
    .set(
      outcome.ok
        ? { last_sent: at.toISOString(), failing_since: null, last_error: '' }
        : { failing_since: now.failing_since ?? at.toISOString(), last_error: outcome.answer },
    )
    .$if(outcome.rotatedToken !== undefined, (query) =>
      query.set(rotate(ctx, now.settings, prepared, outcome)),
    )
    .where('id', '=', now.id)
    .execute()
  emit({ type: 'alert_channel.changed', ids: [now.id] })
}

/** Replaces the old refresh token, unless another one was entered in the meantime. */
function rotate(
  { secrets }: Context,
  stored: string,
  { settings: used }: Prepared,
  { rotatedToken }: MailOutcome,
): { settings: string } {
  const settings = openSettings(stored, secrets)
  if (settings.kind !== 'email' || used.kind !== 'email' || rotatedToken === undefined)
    return { settings: stored }
  if (settings.oauth2_refresh_token !== used.oauth2_refresh_token) return { settings: stored }
  return { settings: sealSettings({ ...settings, oauth2_refresh_token: rotatedToken }, secrets) }
}
