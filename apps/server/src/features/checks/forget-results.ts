import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import { type CheckRow, deleteResults } from './queries.ts'
import { insertTransitions } from './results-queries.ts'

type Forgotten = Pick<CheckRow, 'id' | 'agent_id' | 'alert_severity' | 'status'>

/** Makes checks pending until they run again; what they failed for ends now. Answers how many were not pending. */
export async function forgetResults(
  tx: Db,
  emit: (event: Event) => void,
  checks: Forgotten[],
  at: Date,
): Promise<number> {
  const known = checks.filter(({ status }) => status !== null)
  if (known.length === 0) return 0
  const ids = known.map(({ id }) => id)
  const agentIds = known.map(({ agent_id }) => agent_id)
  await deleteResults(tx, ids)
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
