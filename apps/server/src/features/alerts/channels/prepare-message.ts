import { createHash } from 'node:crypto'
import type { ChannelRules, ChannelSettings } from '@muster/contract/api/alert-channels'
import type { Event } from '@muster/contract/events'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import { keepLease } from '../../../platform/database/sender-lease.ts'
import { emitAlertsChanged, writeAlertLog } from '../alert-log.ts'
import { openTemplateResolver } from '../templates/template-resolver.ts'
import { findAddresses } from '../escalations/queries.ts'
import { issueLinks } from '../links/alert-links.ts'
import { type Browser, findBrowsers, findReaders } from '../push/subscriptions.ts'
import { userOfPushAddress } from '../escalations/find-targets.ts'
import { lockAlerts } from '../queries.ts'
import { wasNotified } from './decide-notice.ts'
import { composeMessage, recheckNotice } from './recheck-notice.ts'
import type { Message, News } from './message.ts'
import {
  findDue,
  findNotices,
  findNotifiedAlerts,
  type NoticeRow,
  type NotifiedRow,
  updateWaiting,
} from './notice-queries.ts'
import { enqueueSending } from './plan-notices.ts'
import { type ChannelRow, findChannel } from './queries.ts'
import { openSettings } from './seal-settings.ts'
import { canDigest } from './send-message.ts'
import { MAX_LINKED_MAILS } from './senders/email.ts'
import { readRules } from './view.ts'

export interface Prepared {
  channel: ChannelRow
  settings: ChannelSettings
  rules: ChannelRules
  notices: NoticeRow[]
  message: Message
  /** Recipients on a push channel, empty on others. */
  browsers: Browser[]
  /** A crashed process was sending it, so it may have arrived. */
  isAgain: boolean
}

/**
 * Chooses the next message of a channel, checks it again, and records its notices before it is sent. A message of a
 * crashed process is sent again unchanged under the same id, because it may have arrived. Undefined = nothing is due.
 */
export function prepareMessage(ctx: Context, channelId: number): Promise<Prepared | undefined> {
  return ctx.transaction(async (tx, emit) => {
    const now = ctx.now()
    const isOurs = await keepLease(tx, ctx, { table: 'alert_channels', id: channelId })
    const channel = await findChannel(tx, channelId)
    if (!isOurs || channel === undefined) return undefined
    const due = await findDue(tx, channelId, now.toISOString())
    if (due.length === 0) return undefined
    const alertIds = [...new Set(due.map(({ alert_id }) => alert_id))].sort((a, b) => a - b)
    await lockAlerts(tx, ctx.engine, alertIds)
    // Read again: planning may have dropped some before the rows were locked.
    const waiting = await findDue(tx, channelId, now.toISOString())
    const alerts = new Map((await findNotifiedAlerts(tx, alertIds)).map((alert) => [alert.id, alert]))
    const known = waiting.filter(({ alert_id }) => alerts.has(alert_id))
    const settings = openSettings(channel.settings, ctx.secrets)
    const rules = readRules(channel)
    const lost = known.find(({ delivery }) => delivery !== null)
    const recipientsFor = await findRecipients({ ctx, tx }, settings, { alerts, notices: known })
    const hasReader = (notice: NoticeRow) => settings.kind !== 'push' || recipientsFor(notice).length > 0
    const txContext = { ctx, tx, emit, channel, rules, alerts, now, hasReader }
    const notices =
      lost === undefined
        ? composeMessage(sameRecipients(await sortOut(txContext, known), recipientsFor), canDigest(settings))
        : known.filter(({ delivery }) => delivery === lost.delivery)
    const news = notices.flatMap((notice) => {
      const alert = alerts.get(notice.alert_id)
      return alert === undefined ? [] : [newsOf(notice, alert)]
    })
    const [first, ...rest] = news
    // Everything was dropped or postponed. More notices may be due than were read.
    if (first === undefined) return undefined
    const ids = notices.map(({ id }) => id)
    const delivery = lost?.delivery ?? deliveryOf(ctx.secrets.keyId, ids)
    await updateWaiting(tx, ids, { delivery })
    const recipients = recipientsFor(notices[0])
    const message: Message = {
      delivery,
      installation: ctx.secrets.keyId,
      at: now,
      timeZone: rules.time_zone,
      consoleUrl: ctx.config.publicUrl,
      news: [first, ...rest],
      links: await issueLinks(ctx, tx, {
        notices,
        timeZone: rules.time_zone,
        recipients: linkRecipients(channel, settings, recipients),
      }),
    }
    return {
      channel,
      settings: sendTo(settings, recipients),
      rules,
      notices,
      message,
      browsers: settings.kind === 'push' ? await findBrowsers(ctx, tx, recipients.map(Number)) : [],
      isAgain: lost !== undefined,
    }
  })
}

/**
 * The recipients of each notice: users of an escalation, those of its template, or those of the channel. Those of a push
 * channel are ids of browsers whose users may see the alert.
 */
async function findRecipients(
  { ctx, tx }: { ctx: Context; tx: Db },
  settings: ChannelSettings,
  { alerts, notices }: { alerts: ReadonlyMap<number, NotifiedRow>; notices: readonly NoticeRow[] },
): Promise<(notice: NoticeRow | undefined) => string[]> {
  const paged = notices.filter(({ kind }) => kind === 'paged').map(({ id }) => id)
  const addresses = await findAddresses(tx, paged)
  if (settings.kind === 'push') {
    const readers = await findReaders(ctx, tx, [...alerts.keys()])
    return (notice) => {
      const users = notice?.kind === 'paged' ? addresses.get(notice.id)?.map(userOfPushAddress) : undefined
      const browsers = (notice && readers.get(notice.alert_id)) ?? []
      return browsers.filter(({ userId }) => users?.includes(userId) ?? true).map(({ id }) => `${id}`)
    }
  }
  const book = await openTemplateResolver(tx)
  return (notice) => {
    if (notice?.kind === 'paged') return addresses.get(notice.id) ?? []
    const alert = notice && alerts.get(notice.alert_id)
    return recipientsOf(settings, alert && book.ask(alert)?.template)
  }
}

/** Notices with the same recipients as the first one, because a digest goes to all of them. */
function sameRecipients(
  notices: readonly NoticeRow[],
  recipientsFor: (notice: NoticeRow) => string[],
): NoticeRow[] {
  const [first] = notices
  if (first === undefined) return []
  const wanted = recipientsFor(first).join('\n')
  return notices.filter((notice) => recipientsFor(notice).join('\n') === wanted)
}

interface TxContext {
  ctx: Context
  tx: Db
  emit: (event: Event) => void
  channel: ChannelRow
  rules: ChannelRules
  alerts: ReadonlyMap<number, NotifiedRow>
  now: Date
  hasReader: (notice: NoticeRow) => boolean
}

const NO_READER = 'No subscribed browser may show this alert.'

/** Drops obsolete notices, postpones those that must wait, and returns the rest. */
async function sortOut(txContext: TxContext, due: readonly NoticeRow[]): Promise<NoticeRow[]> {
  const { ctx, tx, channel, rules, alerts, now, hasReader } = txContext
  const all = Map.groupBy(await findNotices(tx, [...alerts.keys()]), ({ alert_id }) => alert_id)
  const sendable: NoticeRow[] = []
  const dropped: { notice: NoticeRow; reason: string }[] = []
  for (const notice of due) {
    const alert = alerts.get(notice.alert_id)
    if (alert === undefined) continue
    const earlier = (all.get(alert.id) ?? []).filter(({ channel_id }) => channel_id === channel.id)
    const look = recheckNotice({
      notice,
      alert,
      rules,
      wasNotified: wasNotified(earlier),
      nowMs: now.getTime(),
    })
    if ('send' in look && !hasReader(notice)) dropped.push({ notice, reason: NO_READER })
    else if ('send' in look) sendable.push(notice)
    else if ('drop' in look) dropped.push({ notice, reason: look.drop })
    else {
      const due_at = new Date(look.waitUntilMs).toISOString()
      await updateWaiting(tx, [notice.id], { due_at })
      await enqueueSending(ctx, tx, [{ ...notice, due_at }])
    }
  }
  await noteDropped(txContext, dropped)
  return sendable
}

async function noteDropped(
  { tx, emit, channel, alerts, now }: TxContext,
  dropped: readonly { notice: NoticeRow; reason: string }[],
): Promise<void> {
  if (dropped.length === 0) return
  const at = now.toISOString()
  for (const { notice, reason } of dropped) {
    await updateWaiting(tx, [notice.id], { state: 'dropped', ended_at: at, answer: reason })
  }
  await writeAlertLog(
    tx,
    dropped.map(({ notice, reason }) => ({
      alert_id: notice.alert_id,
      at,
      kind: 'notice_held',
      text: `${channel.name}: ${reason}`,
    })),
  )
  emitAlertsChanged(
    emit,
    dropped.flatMap(({ notice }) => alerts.get(notice.alert_id) ?? []),
  )
  emit({ type: 'alert_channel.changed', ids: [channel.id] })
}

export function newsOf({ kind }: Pick<NoticeRow, 'kind'>, alert: NotifiedRow): News {
  const content = {
    id: alert.id,
    alert_type: alert.alert_type,
    state: alert.state,
    severity: alert.severity,
    message: alert.message,
    agent_id: alert.agent_id,
    hostname: alert.hostname ?? '',
    client_id: alert.client_id,
    client: alert.client ?? '',
    site_id: alert.place_id,
    site: alert.site ?? '',
    check_id: alert.check_id,
    alert_time: alert.alert_time,
    resolved_on: alert.resolved_on,
    flapping: alert.flapping === 1,
    resolution: alert.resolution ?? '',
  }
  return { kind: kind === 'paged' ? 'escalated' : kind, alert: content }
}

/** The same notices have the same id in every attempt and process. */
function deliveryOf(installation: string, ids: readonly number[]): string {
  return createHash('sha256')
    .update(`${installation}:${ids.join(',')}`)
    .digest('hex')
    .slice(0, 32)
}

interface Template {
  settings: { email_recipients: string[]; text_recipients: string[] }
}

/** Recipients of a message: those of the template, else those of the channel. */
export function recipientsOf(settings: ChannelSettings, template: Template | undefined): string[] {
  if (settings.kind !== 'email' && settings.kind !== 'sms') return []
  const named =
    settings.kind === 'email' ? template?.settings.email_recipients : template?.settings.text_recipients
  return named === undefined || named.length === 0 ? settings.recipients : named
}

/** In whose names a message can be acknowledged by a link. Members of a chat are not known one by one. */
function linkRecipients({ name }: ChannelRow, { kind }: ChannelSettings, recipients: string[]): string[] {
  if (kind === 'email') return recipients.length > MAX_LINKED_MAILS ? [] : recipients
  return kind === 'webhook' ? [`channel ${name}`] : []
}

/** The settings of a channel with these recipients. */
function sendTo(settings: ChannelSettings, recipients: string[]): ChannelSettings {
  return settings.kind === 'email' || settings.kind === 'sms' ? { ...settings, recipients } : settings
}
