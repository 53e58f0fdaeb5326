import type { Event } from '@muster/contract/events'
import { chunk } from '../../platform/database/chunk.ts'
import type { AlertRow } from './queries.ts'

/** Paired with the machines, if there are any. */
export function emitAlertsChanged(
  emit: (event: Event) => void,
  alerts: readonly Pick<AlertRow, 'id' | 'agent_id'>[],
): void {
  const ofMachines = alerts.flatMap(({ id, agent_id }) => (agent_id === null ? [] : [{ id, agent_id }]))
  for (const slice of chunk(ofMachines)) {
    emit({
      type: 'alert.changed',
      ids: slice.map(({ id }) => id),
      agent_ids: slice.map(({ agent_id }) => agent_id),
    })
  }
  const others = alerts.filter(({ agent_id }) => agent_id === null).map(({ id }) => id)
  if (others.length > 0) emit({ type: 'alert.changed', ids: others })
}
