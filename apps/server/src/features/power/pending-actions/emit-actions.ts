import type { Event } from '@muster/contract/events'

/** Lists of pending actions have changed, and the number that the machine's row shows. */
export function emitActions(emit: (event: Event) => void, ids: number[], agentId: string): void {
  emit({ type: 'pendingaction.changed', ids, agent_ids: ids.map(() => agentId) })
  emit({ type: 'agent.changed', ids: [agentId], agent_ids: [agentId] })
}
