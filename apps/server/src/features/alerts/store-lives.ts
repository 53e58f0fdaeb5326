import type { Event } from '@muster/contract/events'
import type { AlertLogLine, AlertStanding, AlertStep, TellKind } from '@muster/rules/alerts/alert-state'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { planNotices, type Tellable } from './channels/plan-notices.ts'
import { followTemplates } from './templates/plan-actions.ts'
import { writeAlertLog } from './alert-log.ts'
import type { Subject } from './causes.ts'
import { emitAlertsChanged } from './emit-changed.ts'
import { type AlertRow, insertAlerts, updateAlert } from './queries.ts'

/** The context of a transaction that changes alerts. */
export interface Scene {
  ctx: Pick<Context, 'jobs' | 'now' | 'engine'>
  tx: Db
  emit: (event: Event) => void
}

/** The changes of one alert within a transaction. */
export interface Life {
  /** The stored row, absent for a new alert. */
  row?: AlertRow
  subject: Pick<Subject, 'cause' | 'alert_type' | 'agent_id' | 'check_id' | 'site_id'>
  standing: AlertStanding
  flapping: 0 | 1
  log: AlertLogLine[]
  tells: TellKind[]
}

export function lifeOf(row: AlertRow): Life {
  return { row, subject: row, standing: row, flapping: row.flapping, log: [], tells: [] }
}

/** Applies a step in memory. storeLives writes all of them. */
export function follow(life: Life, step: AlertStep): void {
  life.standing = step.next
  life.log.push(...step.log)
  if (step.tell !== null) life.tells.push(step.tell)
}

/**
 * Stores alerts with their logs, and plans their notices. Returns the rows in the same order, undefined for a new one
 * whose cause was just raised by another process.
 */
export async function storeLives(
  { ctx, tx, emit }: Scene,
  lives: readonly Life[],
): Promise<(AlertRow | undefined)[]> {
  const modified = ctx.now().toISOString()
  const fresh = lives.filter(({ row }) => row === undefined)
  for (const life of fresh) keepSilent(life)
  const inserted = await insertAlerts(
    tx,
    fresh.map((life) => ({ ...columnsOf(life), created_at: modified, modified })),
  )
  const byKey = new Map(inserted.map((row) => [keyOf(row), row]))
  const stored: (AlertRow | undefined)[] = []
  for (const life of lives) {
    if (life.row === undefined) {
      stored.push(byKey.get(keyOf({ ...life.subject, ...life.standing })))
      continue
    }
    const row = { ...life.row, ...columnsOf(life), modified }
    await updateAlert(tx, row)
    stored.push(row)
  }
  const told: Tellable[] = []
  const followed: { alertId: number; tells: TellKind[] }[] = []
  const entries = []
  for (const [index, { log, tells, row: before }] of lives.entries()) {
    const alert = stored[index]
    if (alert === undefined) continue
    entries.push(
      ...log.map(({ at, kind, by, text }) => ({ alert_id: alert.id, at, kind, by_user: by, text })),
    )
    const kind = before === undefined ? tells[0] : tells.includes('resolved') ? 'resolved' : tells.at(-1)
    if (kind !== undefined) told.push({ alert, kind })
    followed.push({ alertId: alert.id, tells })
  }
  await writeAlertLog(tx, entries)
  const channels = told.length > 0 ? await planNotices(ctx, tx, told) : []
  if (channels.length > 0) emit({ type: 'alert_channel.changed', ids: channels })
  await followTemplates({ ctx, tx, emit }, followed)
  emitAlertsChanged(
    emit,
    stored.filter((row) => row !== undefined),
  )
  return stored
}

/** An alert that opened and resolved within one transaction is listed, but not notified. */
function keepSilent(life: Life): void {
  const { standing } = life
  if (standing.state !== 'resolved') return
  life.tells = []
  if (standing.told === null) return
  life.standing = { ...standing, told: null }
  const at = standing.resolved_on ?? standing.alert_time
  life.log.push({ at, kind: 'notice_held', by: '', text: 'The alert resolved before the notification.' })
}

function columnsOf({
  subject,
  standing,
  flapping,
}: Life): Omit<AlertRow, 'id' | 'in_bell' | 'created_at' | 'modified'> {
  const { cause, alert_type, agent_id, check_id, site_id } = subject
  return {
    cause,
    open_cause: standing.state === 'resolved' ? null : cause,
    alert_type,
    agent_id,
    check_id,
    site_id,
    flapping,
    state: standing.state,
    severity: standing.severity,
    message: standing.message,
    hold: standing.hold,
    told: standing.told,
    look_after: standing.look_after,
    alert_time: standing.alert_time,
    snooze_until: standing.snooze_until,
    acknowledged_by: standing.acknowledged_by,
    acknowledged_on: standing.acknowledged_on,
    resolved_on: standing.resolved_on,
    resolved_by: standing.resolved_by,
  }
}

/** Within a transaction no two alerts of a cause start at the same time. */
function keyOf({ cause, alert_time }: { cause: string; alert_time: string }): string {
  return `${alert_time} ${cause}`
}
