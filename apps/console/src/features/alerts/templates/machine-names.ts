import { type AgentName, listAgents } from '@muster/contract/api/agents'
import type { z } from 'zod'
import { query } from '../../../app/api/api.ts'

type Named = Pick<z.infer<typeof AgentName>, 'agent_id' | 'hostname' | 'site'>

/** Every machine by name, for choosing one. */
export const machineNamesQuery = query(listAgents, { query: { detail: 'false' } })

/** Options of a select; two sites may have machines of the same name. */
export function namesOf(machines: readonly Named[]): { value: string; label: string }[] {
  return machines.map(({ agent_id, hostname, site }) => ({ value: agent_id, label: `${hostname}, ${site}` }))
}
