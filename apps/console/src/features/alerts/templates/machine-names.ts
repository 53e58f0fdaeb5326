import { type AgentName, listAgents } from '@muster/contract/api/agents'
import type { z } from 'zod'
import { query } from '../../../app/api/api.ts'

type Named = Pick<z.infer<typeof AgentName>, 'agent_id' | 'hostname' | 'site'>

/** Every machine by name, for choosing one. */
export const machineNamesQuery = query(listAgents, { query: { detail: 'false' } })

/** As a select takes them; names may be the same in two sites. */
export function namesOf(machines: readonly Named[]): { value: string; label: string }[] {
  return machines.map(({ agent_id, hostname, site }) => ({ value: agent_id, label: `${hostname}, ${site}` }))
}
