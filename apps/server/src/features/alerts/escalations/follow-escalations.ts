import { allowsSeverity } from '@muster/rules/alerts/alert-template'
import { escalates, minutesBefore } from '@muster/rules/alerts/escalation'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import { findNotifiedAlerts } from '../channels/notice-queries.ts'
import type { AlertRow } from '../queries.ts'
import { openTemplateResolver } from '../templates/template-resolver.ts'
import { type EscalationRow, findChains, findEscalations, readChain, storeEscalation } from './queries.ts'

export const ESCALATE_JOB = 'alert-escalations.run'
const MINUTE_MS = 60_000

interface EscalationContext {
  ctx: Pick<Context, 'jobs' | 'now'>
  tx: Db
}

/**
 * Starts and stops the escalation chains of changed alerts, in the transaction that changes them and holds their rows. A
 * chain starts when its alert is first notified, and starts again when the alert is open again after an acknowledgement,
 * a snooze or a hold. Everything else is decided when a run is due.
 */
export async function followEscalations(
  { ctx, tx }: EscalationContext,
  alerts: readonly AlertRow[],
): Promise<void> {
  if (alerts.length === 0) return
  const chains = new Map((await findChains(tx)).map((row) => [row.id, row]))
  if (chains.size === 0) return
  const known = await findEscalations(
    tx,
    alerts.map(({ id }) => id),
  )
  const starting: AlertRow[] = []
  for (const alert of alerts) {
    const row = known.get(alert.id)
    const isStopped = row === undefined || row.state === 'stopped'
    if (!escalates(alert)) {
      if (!isStopped) await storeEscalation(tx, stopped(row))
    } else if (isStopped) starting.push(alert)
  }
  if (starting.length === 0) return
  const book = await openTemplateResolver(tx)
  const notified = await findNotifiedAlerts(
    tx,
    starting.map(({ id }) => id),
  )
  for (const alert of notified) {
    const settings = book.ask(alert)?.template.settings
    const chain = chains.get(settings?.escalation_chain ?? 0)
    if (settings === undefined || chain === undefined) continue
    if (!allowsSeverity({ severities: settings.escalation_severities ?? [] }, alert.severity)) continue
    const turn = (known.get(alert.id)?.turn ?? 0) + 1
    const row = { alert_id: alert.id, chain_id: chain.id, state: 'running', run: 0, turn } as const
    await planRun({ ctx, tx }, row, minutesBefore(readChain(chain), 0) ?? 0)
  }
}

export function stopped(row: EscalationRow): EscalationRow {
  return { ...row, state: 'stopped', next_at: null }
}

/** Stores the next run and its job. The id of the job prevents a second one. */
export async function planRun(
  { ctx, tx }: EscalationContext,
  row: Omit<EscalationRow, 'next_at'>,
  waitMinutes: number,
): Promise<void> {
  const dueAt = new Date(ctx.now().getTime() + waitMinutes * MINUTE_MS)
  await storeEscalation(tx, { ...row, next_at: dueAt.toISOString() })
  const { alert_id, turn } = row
  const job = { id: `escalation:${alert_id}:${turn}`, dueAt, db: tx }
  await ctx.jobs.enqueue(ESCALATE_JOB, { alert_id, turn }, job)
}
