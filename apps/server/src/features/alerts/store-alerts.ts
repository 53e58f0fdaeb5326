import type { Event } from '@muster/contract/events'
import type { AlertLogLine, AlertSnapshot, AlertStep, NoticeCause } from '@muster/rules/alerts/alert-state'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { type Notifiable, planNotices } from './channels/plan-notices.ts'
import { followTemplates } from './templates/plan-actions.ts'
import { followEscalations } from './escalations/follow-escalations.ts'
import { alertFacts } from './alert-facts.ts'
import { emitAlertsChanged, writeAlertLog } from './alert-log.ts'
import type { Subject } from './causes.ts'
import { type AlertRow, insertAlerts, updateAlert } from './queries.ts'

/** The context of a transaction that changes alerts. */
export interface TxContext {
  ctx: Pick<Context, 'jobs' | 'now' | 'engine' | 'hooks'>
  tx: Db
  emit: (event: Event) => void
}

/** The changes of one alert within a transaction. */
export interface AlertDraft {
  /** The stored row, absent for a new alert. */
  row?: AlertRow
  subject: Pick<Subject, 'cause' | 'alert_type' | 'agent_id' | 'check_id' | 'site_id'>
  snapshot: AlertSnapshot
  flapping: 0 | 1
  log: AlertLogLine[]
  notices: NoticeCause[]
}

export function draftOf(row: AlertRow): AlertDraft {
  return { row, subject: row, snapshot: row, flapping: row.flapping, log: [], notices: [] }
}

/** Applies a step in memory. storeAlerts writes all of them. */
export function applyStep(draft: AlertDraft, step: AlertStep): void {
  draft.snapshot = step.next
  draft.log.push(...step.log)
  if (step.notice !== null) draft.notices.push(step.notice)
}

/**
 * Stores alerts with their logs, and plans their notices. Returns the rows in the same order, undefined for a new one
 * whose cause was just raised by another process.
 */
export async function storeAlerts(
  { ctx, tx, emit }: TxContext,
  drafts: readonly AlertDraft[],
): Promise<(AlertRow | undefined)[]> {
  const modified = ctx.now().toISOString()
  const fresh = drafts.filter(({ row }) => row === undefined)
  for (const draft of fresh) suppress(draft)
  const inserted = await insertAlerts(
    tx,
    fresh.map((draft) => ({ ...columnsOf(draft), created_at: modified, modified })),
  )
  const byKey = new Map(inserted.map((row) => [keyOf(row), row]))
  const stored: (AlertRow | undefined)[] = []
  for (const draft of drafts) {
    if (draft.row === undefined) {
      stored.push(byKey.get(keyOf({ ...draft.subject, ...draft.snapshot })))
      continue
    }
    const row = { ...draft.row, ...columnsOf(draft), modified }
    await updateAlert(tx, row)
    stored.push(row)
  }
  const notifiable: Notifiable[] = []
  const followed: { alertId: number; notices: NoticeCause[] }[] = []
  const entries = []
  const facts = []
  for (const [index, { log, notices, row: before }] of drafts.entries()) {
    const alert = stored[index]
    if (alert === undefined) continue
    entries.push(
      ...log.map(({ at, kind, by, text }) => ({ alert_id: alert.id, at, kind, by_user: by, text })),
    )
    const kind =
      before === undefined ? notices[0] : notices.includes('resolved') ? 'resolved' : notices.at(-1)
    if (kind !== undefined) notifiable.push({ alert, kind })
    followed.push({ alertId: alert.id, notices })
    facts.push(...alertFacts(alert, { before, notices, log }))
  }
  await writeAlertLog(tx, entries)
  const channels = notifiable.length > 0 ? await planNotices(ctx, tx, notifiable) : []
  if (channels.length > 0) emit({ type: 'alert_channel.changed', ids: channels })
  await ctx.hooks.publish(ctx, tx, facts)
  await followTemplates({ ctx, tx, emit }, followed)
  await followEscalations(
    { ctx, tx },
    stored.filter((row) => row !== undefined),
  )
  emitAlertsChanged(
    emit,
    stored.filter((row) => row !== undefined),
  )
  return stored
}

/** An alert that opened and resolved within one transaction is listed, but not notified. */
function suppress(draft: AlertDraft): void {
  const { snapshot } = draft
  if (snapshot.state !== 'resolved') return
  draft.notices = []
  if (snapshot.notified === null) return
  draft.snapshot = { ...snapshot, notified: null }
  const at = snapshot.resolved_on ?? snapshot.alert_time
  draft.log.push({ at, kind: 'notice_held', by: '', text: 'The alert resolved before the notification.' })
}

function columnsOf({
  subject,
  snapshot,
  flapping,
}: AlertDraft): Omit<AlertRow, 'id' | 'in_bell' | 'created_at' | 'modified'> {
  const { cause, alert_type, agent_id, check_id, site_id } = subject
  return {
    cause,
    open_cause: snapshot.state === 'resolved' ? null : cause,
    alert_type,
    agent_id,
    check_id,
    site_id,
    flapping,
    state: snapshot.state,
    severity: snapshot.severity,
    message: snapshot.message,
    hold: snapshot.hold,
    notified: snapshot.notified,
    look_after: snapshot.look_after,
    alert_time: snapshot.alert_time,
    snooze_until: snapshot.snooze_until,
    acknowledged_by: snapshot.acknowledged_by,
    acknowledged_on: snapshot.acknowledged_on,
    resolved_on: snapshot.resolved_on,
    resolved_by: snapshot.resolved_by,
  }
}

/** Within a transaction no two alerts of a cause start at the same time. */
function keyOf({ cause, alert_time }: { cause: string; alert_time: string }): string {
  return `${alert_time} ${cause}`
}
