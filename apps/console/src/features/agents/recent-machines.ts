import type { AgentDetail } from '@muster/contract/api/agents'

export type RecentMachine = Pick<AgentDetail, 'agent_id' | 'hostname' | 'client' | 'site_name'>

const KEPT = 6
let recent: readonly RecentMachine[] = []

/** The machines that this page has shown, the last one first. */
export const recentMachines = (): readonly RecentMachine[] => recent

export function rememberMachine({ agent_id, hostname, client, site_name }: RecentMachine): void {
  const others = recent.filter((other) => other.agent_id !== agent_id)
  recent = [{ agent_id, hostname, client, site_name }, ...others].slice(0, KEPT)
}
