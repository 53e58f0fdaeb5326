import type { Alert, AlertEscalation } from '@muster/contract/api/alerts'
import type { AlertNotification } from '@muster/contract/api/escalations'
import { escalationRun } from '@muster/rules/alerts/escalation'
import type { Db } from '../../../platform/database/database.ts'
import { findChain, findEscalations, readChain } from './queries.ts'
import { nameTargets } from './find-targets.ts'

const MAX_NOTIFICATIONS = 500

/** The next recipients of an alert, and their time. Null without a chain. */
export async function viewEscalation(db: Db, { id }: Pick<Alert, 'id'>): Promise<AlertEscalation | null> {
  const row = (await findEscalations(db, [id])).get(id)
  const stored = row && (await findChain(db, row.chain_id))
  if (row === undefined || stored === undefined) return null
  const chain = readChain(stored)
  const { name, steps } = chain
  const run = escalationRun(chain, row.run)
  const step = run && steps[run.step]
  if (row.state !== 'running' || row.next_at === null || run === undefined || step === undefined)
    return { chain: name, state: row.state === 'running' ? 'done' : row.state, next: null }
  const recipients = await nameTargets(db, step, new Date(row.next_at))
  return { chain: name, state: 'running', next: { at: row.next_at, step: run.step + 1, recipients } }
}

/** The last notifications of an alert, oldest first. */
export async function findNotifications(db: Db, alertId: number): Promise<AlertNotification[]> {
  const byRules = await db
    .selectFrom('alert_notices')
    .innerJoin('alert_channels', 'alert_channels.id', 'alert_notices.channel_id')
    .selectAll('alert_notices')
    .select('alert_channels.name as channel')
    .where('alert_id', '=', alertId)
    .where('kind', 'not in', ['escalated', 'paged'])
    .orderBy('alert_notices.id', 'desc')
    .limit(MAX_NOTIFICATIONS)
    .execute()
  const byChains = await db
    .selectFrom('escalation_notifications')
    .leftJoin('alert_notices', 'alert_notices.id', 'escalation_notifications.notice_id')
    .selectAll('escalation_notifications')
    .select(['alert_notices.state', 'alert_notices.ended_at', 'alert_notices.answer'])
    .where('escalation_notifications.alert_id', '=', alertId)
    .orderBy('escalation_notifications.id', 'desc')
    .limit(MAX_NOTIFICATIONS)
    .execute()
  const all: AlertNotification[] = [
    ...byRules.toReversed().map((row) => ({
      at: row.created_at,
      // The query leaves out the others.
      reason: row.kind as Exclude<typeof row.kind, 'paged'>,
      chain: '',
      step: null,
      recipient: '',
      schedule: '',
      channel: row.channel,
      state: row.state,
      ended: row.ended_at,
      detail: row.answer,
    })),
    ...byChains.toReversed().map((row) => ({
      at: row.at,
      reason: 'escalated' as const,
      chain: row.chain,
      step: row.step,
      recipient: row.recipient,
      schedule: row.schedule,
      channel: row.channel,
      state: row.state ?? ('failed' as const),
      ended: row.problem === '' ? row.ended_at : row.at,
      detail: row.problem === '' ? (row.answer ?? 'The channel was deleted.') : row.problem,
    })),
  ]
  return all.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).slice(-MAX_NOTIFICATIONS)
}
