import type { Event } from '@muster/contract/events'

const IDS_IN_EVENT = 500

/** Other rules for remote tools may count at these machines from now on, or at all (undefined). */
export function emitRulesChanged(
  emit: (event: Event) => void,
  agentIds: readonly string[] | undefined,
): void {
  if (agentIds === undefined || agentIds.length === 0) {
    // A place without machines is open in a console all the same.
    return emit({
      type: 'remote_access.changed',
      ids: [],
      ...(agentIds === undefined ? {} : { agent_ids: [] }),
    })
  }
  for (let from = 0; from < agentIds.length; from += IDS_IN_EVENT) {
    const ids = agentIds.slice(from, from + IDS_IN_EVENT)
    emit({ type: 'remote_access.changed', ids, agent_ids: ids })
  }
}
