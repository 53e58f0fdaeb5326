import type { EscalationChainForm } from '@muster/contract/api/escalations'
import { escalates, type EscalationRun, escalationRun, minutesBefore } from '@muster/rules/alerts/escalation'
import type { Insertable } from 'kysely'
import { z } from 'zod'
import type { Context } from '../../../context.ts'
import type { InTransaction } from '../../../hooks.ts'
import type { AlertNoticesTable } from '../../../platform/database/tables/alerts.ts'
import type { Job } from '../../../platform/jobs/run-job.ts'
import { emitAlertsChanged, writeAlertLog } from '../alert-log.ts'
import { findNotifiedAlerts, insertNotices, type NotifiedRow } from '../channels/notice-queries.ts'
import { enqueueSending } from '../channels/plan-notices.ts'
import { lockAlerts } from '../queries.ts'
import { findTargets, type Target } from './find-targets.ts'
import { ESCALATE_JOB, planRun, stopped } from './follow-escalations.ts'
import { findChain, findEscalations, insertNotifications, readChain, storeEscalation } from './queries.ts'

const Payload = z.object({ alert_id: z.int(), turn: z.int() })

export function alertEscalationJobs(ctx: Context): Job[] {
  return [{ name: ESCALATE_JOB, run: (payload) => runEscalation(ctx, Payload.parse(payload)) }]
}

/**
 * Notifies the recipients of the due step and plans the next run, in one transaction that holds the alert. A job of an
 * earlier plan, or one that ran before, finds another turn and does nothing.
 */
async function runEscalation(ctx: Context, due: z.infer<typeof Payload>): Promise<void> {
  await ctx.transaction(async (tx, emit) => {
    const [alert] = await lockAlerts(tx, ctx.engine, [due.alert_id])
    const row = (await findEscalations(tx, [due.alert_id])).get(due.alert_id)
    if (alert === undefined || row === undefined) return
    if (row.state !== 'running' || row.turn !== due.turn) return
    const stored = await findChain(tx, row.chain_id)
    const [notified] = await findNotifiedAlerts(tx, [alert.id])
    if (!escalates(alert) || stored === undefined || notified === undefined) {
      await storeEscalation(tx, stopped(row))
      return
    }
    const chain = readChain(stored)
    const run = escalationRun(chain, row.run)
    const hasSent =
      run !== undefined && (await notify({ ctx, tx, emit }, notified, { chain, run, turn: row.turn }))
    emitAlertsChanged(emit, [alert])
    const minutes = minutesBefore(chain, row.run + 1)
    // The chain may have become shorter since.
    if (run === undefined || minutes === undefined) {
      await storeEscalation(tx, { ...row, state: 'done', next_at: null })
      return
    }
    // A step that reached nobody does not wait for an answer.
    const isRepeated = (escalationRun(chain, row.run + 1)?.round ?? 0) > 0
    const next = { ...row, run: row.run + 1, turn: row.turn + 1 }
    await planRun({ ctx, tx }, next, hasSent || isRepeated ? minutes : 0)
  })
}

/** Returns whether anything is sent. */
async function notify(
  { ctx, tx }: InTransaction,
  alert: NotifiedRow,
  { chain, run, turn }: { chain: EscalationChainForm; run: EscalationRun; turn: number },
): Promise<boolean> {
  const at = ctx.now()
  const step = chain.steps[run.step]
  if (step === undefined) return false
  const targets = await findTargets(ctx, tx, { chain, step, alert, at })
  const created_at = at.toISOString()
  const notice = { alert_id: alert.id, turn, state: 'waiting', due_at: created_at, created_at } as const
  const planned = new Map<string, Insertable<AlertNoticesTable>>()
  for (const { channel, address, problem } of targets) {
    if (channel === undefined || problem !== '') continue
    const kind = kindOf(address)
    planned.set(`${channel.id} ${kind}`, { ...notice, channel_id: channel.id, kind })
  }
  const notices = await insertNotices(tx, [...planned.values()])
  const rows = targets.map(({ recipient, schedule, address, channel, problem }) => ({
    alert_id: alert.id,
    at: created_at,
    chain: chain.name,
    step: run.step + 1,
    recipient,
    schedule,
    address,
    channel: channel?.name ?? '',
    notice_id:
      problem === ''
        ? (notices.find(({ channel_id, kind }) => channel_id === channel?.id && kind === kindOf(address))
            ?.id ?? null)
        : null,
    problem,
  }))
  await insertNotifications(tx, rows)
  const which = `${chain.name}, step ${run.step + 1}${run.round === 0 ? '' : `, repeated ${run.round} of ${chain.repeat_times}`}`
  await writeAlertLog(tx, [
    {
      alert_id: alert.id,
      at: created_at,
      kind: 'escalated',
      text: `${which}: ${targets.map(describe).join('; ')}`,
    },
  ])
  await enqueueSending(ctx, tx, notices)
  return notices.length > 0
}

/** Users get mails of their own; a channel notifies its own recipients. */
function kindOf(address: string): 'paged' | 'escalated' {
  return address === '' ? 'escalated' : 'paged'
}

function describe({ recipient, schedule, channel, problem }: Target): string {
  const names = [recipient, schedule === '' ? '' : `on call in ${schedule}`, channel?.name ?? '']
  const who = names.filter((name) => name !== '').join(', ')
  if (problem === '') return who
  return who === '' ? problem : `${who}: ${problem}`
}
