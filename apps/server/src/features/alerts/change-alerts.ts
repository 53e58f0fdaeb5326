import type { AlertAction } from '@muster/contract/api/alerts'
import { AppError } from '@muster/contract/errors'
import { actOnAlert } from '@muster/rules/alerts/alert-actions'
import type { Context } from '../../context.ts'
import type { InTransaction } from '../../hooks.ts'
import type { Db } from '../../platform/database/database.ts'
import { chunk } from '../../platform/database/sql.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { countEntries, emitAlertsChanged, MAX_LOG_ENTRIES, writeAlertLog } from './alert-log.ts'
import { findAlert, findAlerts, type ListedAlert } from './list-alerts.ts'
import { nameInKey } from './list-causes.ts'
import { type AlertRow, findFailing, lockAlerts, lockChecks } from './queries.ts'
import { applyStep, draftOf, storeAlerts } from './store-alerts.ts'

export interface Order {
  type: AlertAction
  note?: string | undefined
  snooze_days?: number | undefined
  snooze_until?: string | undefined
}

const DONE: Record<AlertAction, string> = {
  acknowledge: 'Acknowledged',
  unacknowledge: 'Unacknowledged',
  snooze: 'Snoozed',
  unsnooze: 'Unsnoozed',
  resolve: 'Resolved',
}
const DAY_MS = 86_400_000
const MAX_NAME_LENGTH = 200

/** Changes one alert. Throws if the change does not apply to its state. */
export async function changeAlert(
  { ctx, tx, emit }: InTransaction,
  caller: Caller,
  id: number,
  order: Order,
): Promise<ListedAlert> {
  const until = endOfSnooze(order, ctx.now())
  const before = await requireAlert(tx, caller, id)
  const { changed, refused } = await change({ ctx, tx, emit }, caller, { ids: [id], order, until })
  if (changed.length === 0) throw new AppError('conflict', refused ?? 'This alert no longer exists.')
  const after = await requireAlert(tx, caller, id)
  await audit(tx, {
    caller,
    action: 'modify',
    object_type: 'alert',
    message: `${DONE[order.type]} the alert "${nameOf(before)}"`,
    before: { state: before.state },
    after: { state: after.state, snooze_until: after.snooze_until, note: order.note ?? '' },
    ...agentAndSite(after),
    at: ctx.now(),
    emit,
  })
  return after
}

/** Changes the visible alerts among many to which the change applies. `cause`: its key, if they are a whole cause. */
export async function changeAlerts(
  ctx: Context,
  caller: Caller,
  { ids, cause, ...order }: Order & { ids: number[]; cause?: string },
): Promise<number> {
  const until = endOfSnooze(order, ctx.now())
  return ctx.transaction(async (tx, emit) => {
    const seen: ListedAlert[] = []
    for (const slice of chunk([...new Set(ids)])) seen.push(...(await findAlerts(tx, caller, slice)))
    if (seen.length === 0) {
      throw new AppError('not_found', 'These alerts do not exist, or you may not see them.')
    }
    const seenIds = seen.map(({ id }) => id).toSorted((a, b) => a - b)
    const { changed } = await change({ ctx, tx, emit }, caller, { ids: seenIds, order, until })
    if (changed.length === 0) return 0
    const [only] = new Set(changed.map(({ agent_id }) => agent_id))
    const about = cause === undefined ? '' : ` "${nameOf({ hostname: null, message: nameInKey(cause) })}"`
    const isOfOne = changed.every(({ agent_id }) => agent_id === only)
    await audit(tx, {
      caller,
      action: 'bulk_action',
      object_type: 'alert',
      message: `${DONE[order.type]} ${changed.length} ${changed.length === 1 ? 'alert' : 'alerts'}${about}`,
      after: {
        ...(cause === undefined ? {} : { cause }),
        alerts: changed.map(({ id }) => id),
        note: order.note ?? '',
      },
      ...(isOfOne && only != null ? { agent: { agent_id: only } } : {}),
      at: ctx.now(),
      emit,
    })
    return changed.length
  })
}

/** Adds a user's note to the log. */
export function addNote(ctx: Context, caller: Caller, id: number, note: string) {
  return ctx.transaction(async (tx, emit) => {
    const alert = await requireAlert(tx, caller, id)
    const entries = (await countEntries(tx, [id])).get(id) ?? 0
    if (entries >= MAX_LOG_ENTRIES - 1) {
      throw new AppError(
        'conflict',
        `The log of this alert is full: the limit is ${MAX_LOG_ENTRIES} entries.`,
      )
    }
    const at = ctx.now()
    await writeAlertLog(tx, [
      { alert_id: id, at: at.toISOString(), kind: 'noted', by_user: caller.username, text: note },
    ])
    await audit(tx, {
      caller,
      action: 'add',
      object_type: 'alert',
      message: `Added a note to the alert "${nameOf(alert)}"`,
      after: { note },
      ...agentAndSite(alert),
      at,
      emit,
    })
    emitAlertsChanged(emit, [alert])
    return tx
      .selectFrom('alert_log')
      .selectAll()
      .where('alert_id', '=', id)
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
  })
}

/** Returns the alert. Throws `not_found` if it does not exist or is not visible. */
export async function requireAlert(db: Db, caller: Caller, id: number): Promise<ListedAlert> {
  const alert = await findAlert(db, caller, id)
  if (alert === undefined)
    throw new AppError('not_found', 'This alert does not exist, or you may not see it.')
  return alert
}

export function nameOf({ hostname, message }: { hostname: string | null; message: string }): string {
  const name = hostname === null ? message : `${hostname}: ${message}`
  // One line without a final period, as audit rows require.
  const line = name.replaceAll(/\s+/g, ' ').replace(/[.\s]+$/, '')
  return line.length > MAX_NAME_LENGTH ? `${line.slice(0, MAX_NAME_LENGTH)}…` : line
}

export function agentAndSite({ agent_id, place_id }: ListedAlert) {
  if (agent_id !== null) return { agent: { agent_id } }
  return place_id === null ? {} : { site: { id: place_id } }
}

async function change(
  { ctx, tx, emit }: InTransaction,
  caller: Caller,
  { ids, order, until }: { ids: number[]; order: Order; until: string | undefined },
): Promise<{ changed: AlertRow[]; refused?: string }> {
  const { type, note = '' } = order
  const at = ctx.now().toISOString()
  const checksOf = (alerts: Pick<AlertRow, 'check_id'>[]) => alerts.flatMap(({ check_id }) => check_id ?? [])
  // The state of the check must not change until its alert has ended. Checks are locked before alerts, as when results
  // are stored.
  if (type === 'resolve') {
    const rows = await tx.selectFrom('alerts').selectAll().where('id', 'in', ids).execute()
    await lockChecks(tx, ctx.engine, [...new Set(checksOf(rows))])
  }
  const alerts = await lockAlerts(tx, ctx.engine, ids)
  const failing = type === 'resolve' ? await findFailing(tx, checksOf(alerts)) : new Set<number>()
  const drafts = []
  let refused: string | undefined
  for (const alert of alerts) {
    const stillStands = alert.check_id !== null && failing.has(alert.check_id)
    const outcome = actOnAlert(alert, { type, at, by: caller.username, note, until, stillStands })
    if ('refused' in outcome) {
      refused ??= outcome.refused
      continue
    }
    const draft = draftOf(alert)
    applyStep(draft, outcome)
    drafts.push(draft)
  }
  const stored = drafts.length === 0 ? [] : await storeAlerts({ ctx, tx, emit }, drafts)
  return {
    changed: stored.filter((row) => row !== undefined),
    ...(refused === undefined ? {} : { refused }),
  }
}

function endOfSnooze({ type, snooze_days, snooze_until }: Order, now: Date): string | undefined {
  if (type !== 'snooze') return undefined
  if (snooze_until !== undefined) {
    const until = new Date(snooze_until)
    if (until > now) return until.toISOString()
    const sentence = 'Choose a time in the future.'
    throw new AppError('invalid', sentence, { fields: { snooze_until: [sentence] } })
  }
  if (snooze_days !== undefined) return new Date(now.getTime() + snooze_days * DAY_MS).toISOString()
  const sentence = 'Choose the end of the snooze.'
  throw new AppError('invalid', sentence, { fields: { snooze_until: [sentence] } })
}
