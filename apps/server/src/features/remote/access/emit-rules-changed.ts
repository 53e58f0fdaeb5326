import type { Event } from '@muster/contract/events'

const IDS_IN_EVENT = 500

/** The remote access rules of these machines changed, or of all machines (undefined). */
export function emitRulesChanged(
  emit: (event: Event) => void,
  agentIds: readonly string[] | undefined,
): void {
  if (agentIds === undefined || agentIds.length === 0) {
    // Consoles may show a target without machines.
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
