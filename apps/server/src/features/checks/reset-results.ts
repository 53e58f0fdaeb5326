import { takeCheckFindings } from '../alerts/check-alerts.ts'
import { lockChecks } from '../alerts/queries.ts'
import type { TxContext } from '../alerts/store-alerts.ts'
import { type CheckRow, deleteResults } from './queries.ts'
import { insertTransitions } from './results-queries.ts'

type Forgotten = Pick<CheckRow, 'id' | 'agent_id' | 'alert_severity' | 'status'>

/**
 * Makes checks pending until they run again, and ends their failures and alerts. Returns how many were not pending.
 * `why`: for the logs of the alerts.
 */
export async function resetResults(
  txContext: TxContext,
  checks: Forgotten[],
  { at, why }: { at: Date; why: string },
): Promise<number> {
  const { ctx, tx, emit } = txContext
  const known = checks.filter(({ status }) => status !== null)
  if (known.length === 0) return 0
  const ids = known.map(({ id }) => id)
  const agentIds = known.map(({ agent_id }) => agent_id)
  // Concurrent results are stored completely before or after this, with their alerts.
  await lockChecks(tx, ctx.engine, ids)
  await deleteResults(tx, ids)
  const over = known.map(({ id }) => ({ checkId: id, at, severity: null, text: why }))
  await takeCheckFindings(txContext, over, 'server')
  const ended = known.filter(({ alert_severity }) => alert_severity !== null)
  await insertTransitions(
    tx,
    ended.map(({ id, agent_id }) => ({ check_id: id, agent_id, at: secondsOf(at), severity: null })),
  )
  emit({ type: 'check.changed', ids, agent_ids: agentIds })
  const machines = [...new Set(agentIds)]
  emit({ type: 'agent.changed', ids: machines, agent_ids: machines })
  return known.length
}

export function secondsOf(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}
