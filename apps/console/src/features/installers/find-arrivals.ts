import type { AgentName } from '@muster/contract/api/agents'
import type { LiveMessage } from '@muster/contract/live-messages'
import type { z } from 'zod'

export type Machine = z.infer<typeof AgentName>
export interface Arrival extends Machine {
  /** Its row existed before: the machine was reinstalled or has reconnected. */
  known: boolean
}
type AgentsFrame = Extract<LiveMessage, { type: 'agents' }>

/** Machines that are new since `before`, the latest first; then known ones that have connected since. */
export function findArrivals(
  machines: readonly Machine[],
  before: ReadonlySet<string>,
  connected: ReadonlySet<string>,
): Arrival[] {
  return machines
    .filter(({ agent_id }) => !before.has(agent_id) || connected.has(agent_id))
    .map((machine) => ({ ...machine, known: before.has(machine.agent_id) }))
    .toSorted((a, b) => Number(a.known) - Number(b.known) || b.id - a.id)
}

/** The machines of a frame that have connected. */
export function findConnected({ changed }: Pick<AgentsFrame, 'changed'>): string[] {
  return changed.filter((change) => change['connected'] === true).map(({ agent_id }) => agent_id)
}
