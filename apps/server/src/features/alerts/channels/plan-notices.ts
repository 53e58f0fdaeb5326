import type { ChannelKind } from '@muster/contract/api/alert-channels'
import type { TemplateChoices } from '@muster/rules/alerts/alert-template'
import type { Insertable } from 'kysely'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { AlertLogTable, AlertNoticesTable } from '../../../platform/database/tables/alerts.ts'
import { openTemplateResolver } from '../templates/template-resolver.ts'
import { writeAlertLog } from '../alert-log.ts'
import { type Channel, decideNotice, type NoticePlan, type AlertOwner } from './decide-notice.ts'
import {
  type AlertRow,
  findNotices,
  findSiteFlags,
  findNotifiedAlerts,
  insertNotices,
  type NotifiedRow,
  updateWaiting,
} from './notice-queries.ts'
import { type ChannelRow, findChannels } from './queries.ts'
import { readRules } from './view.ts'

export interface Notifiable {
  alert: AlertRow
  kind: AlertNoticesTable['kind']
}

export const SEND_JOB = 'alert-channels.send'
const OVER = 'The alert resolved before the notification.'

type Planned = Insertable<AlertNoticesTable> & { channel_id: number; due_at: string }
type LogEntry = Omit<Insertable<AlertLogTable>, 'id' | 'by_user'>

/**
 * Stores the notices of these alerts, in the transaction that changes them and holds their rows. Returns the channels
 * whose waiting count changed.
 */
export async function planNotices(
  ctx: Pick<Context, 'jobs' | 'now'>,
  tx: Db,
  notifiable: readonly Notifiable[],
): Promise<number[]> {
  const channels = await readChannels(tx)
  if (channels.length === 0 || notifiable.length === 0) return []
  const now = ctx.now()
  const rows = await findNotifiedAlerts(
    tx,
    notifiable.map(({ alert }) => alert.id),
  )
  const owners = await findOwners(tx, rows)
  const choices = await findChoices(tx, rows)
  const earlier = Map.groupBy(
    await findNotices(
      tx,
      notifiable.map(({ alert }) => alert.id),
    ),
    ({ alert_id, channel_id }) => `${alert_id} ${channel_id}`,
  )
  const drop: number[] = []
  const insert: Planned[] = []
  const hasten: { id: number; channel_id: number; due_at: string }[] = []
  const log: LogEntry[] = []
  for (const { alert, kind } of notifiable) {
    for (const channel of channels) {
      const before = earlier.get(`${alert.id} ${channel.id}`) ?? []
      const owner = owners.get(alert.id) ?? { clientId: null, email: true, text: true }
      const plan = decideNotice({
        kind,
        alert,
        channel,
        owner,
        earlier: before,
        nowMs: now.getTime(),
        choices: choices.get(alert.id),
      })
      if (plan === undefined) continue
      drop.push(...plan.drop)
      const due_at = new Date(plan.dueMs).toISOString()
      if (plan.hasten !== undefined) hasten.push({ id: plan.hasten, channel_id: channel.id, due_at })
      if (plan.insert !== undefined) {
        const turn = before.filter((notice) => notice.kind === plan.insert).length
        const row = { alert_id: alert.id, channel_id: channel.id, kind: plan.insert, turn, due_at }
        insert.push({ ...row, state: 'waiting', created_at: now.toISOString() })
      }
      const text = heldText(plan, channel, now)
      if (text !== undefined)
        log.push({ alert_id: alert.id, at: now.toISOString(), kind: 'notice_held', text })
    }
  }
  await updateWaiting(tx, drop, { state: 'dropped', ended_at: now.toISOString(), answer: OVER })
  for (const { id, due_at } of hasten) await updateWaiting(tx, [id], { due_at })
  const inserted = await insertNotices(tx, insert)
  await writeAlertLog(tx, log)
  await enqueueSending(ctx, tx, [...inserted, ...hasten])
  const dropped = [...earlier.values()].flat().filter(({ id }) => drop.includes(id))
  return [...new Set([...inserted, ...hasten, ...dropped].map(({ channel_id }) => channel_id))]
}

/** One job per channel and time, because a job sends everything that is due. */
export async function enqueueSending(
  { jobs }: Pick<Context, 'jobs'>,
  tx: Db,
  notices: readonly { id: number; channel_id: number; due_at: string; attempts?: number }[],
): Promise<void> {
  const groups = Map.groupBy(notices, ({ channel_id, due_at }) => `${channel_id} ${due_at}`)
  for (const [first] of groups.values()) {
    if (first === undefined) continue
    const { id, channel_id, due_at, attempts = 0 } = first
    // A notice may have several due times: retried, or moved forward.
    const job = `notice:${id}:${attempts}:${due_at}`
    await jobs.enqueue(SEND_JOB, { channel_id }, { id: job, dueAt: new Date(due_at), db: tx })
  }
}

function heldText(plan: NoticePlan, channel: Channel, now: Date): string | undefined {
  if (plan.isHeld && plan.insert === undefined) return `${channel.name}: ${OVER}`
  const isNew = plan.insert !== undefined || plan.hasten !== undefined
  if (!isNew || plan.dueMs <= now.getTime()) return undefined
  return `${channel.name}: Waiting for the end of the quiet hours (${channel.rules.quiet_to} ${channel.rules.time_zone}).`
}

async function readChannels(tx: Db): Promise<Channel[]> {
  return (await findChannels(tx)).map(readChannel)
}

export function readChannel(row: ChannelRow): Channel {
  // Written by sealSettings.
  const { kind } = JSON.parse(row.settings) as { kind: ChannelKind }
  return { id: row.id, name: row.name, kind, rules: readRules(row) }
}

/** Settings of alert templates for these alerts, by alert id. */
export async function findChoices(
  tx: Db,
  rows: readonly NotifiedRow[],
): Promise<Map<number, TemplateChoices | undefined>> {
  const book = await openTemplateResolver(tx)
  return new Map(rows.map((row) => [row.id, book.ask(row)?.choices]))
}

/** By alert id. */
async function findOwners(tx: Db, rows: readonly NotifiedRow[]): Promise<Map<number, AlertOwner>> {
  const sites = rows.filter(({ agent_id, place_id }) => agent_id === null && place_id !== null)
  const flags = await findSiteFlags(tx, [...new Set(sites.map(({ place_id }) => Number(place_id)))])
  return new Map(
    rows.map((row) => {
      const ofSite = row.agent_id === null && row.place_id !== null ? flags.get(row.place_id) : undefined
      const email = ofSite?.email ?? row.overdue_email_alert !== 0
      const text = ofSite?.text ?? row.overdue_text_alert !== 0
      return [row.id, { clientId: row.client_id, email, text }]
    }),
  )
}
