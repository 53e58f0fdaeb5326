import type { AgentRow } from '@muster/contract/api/agents'
import type { Overview, OverviewClient } from '@muster/contract/api/overview'
import { compareWorst, fleetPart, noMachines } from '@muster/rules/agents/fleet-parts'

/** Counts machines by their part, over all and for each client. */
export function countFleet(
  rows: readonly AgentRow[],
): Pick<Overview, 'machines' | 'connected' | 'counts' | 'clients'> {
  const counts = noMachines()
  const clients = new Map<number, OverviewClient>()
  let connected = 0
  for (const row of rows) {
    const part = fleetPart(row)
    counts[part] += 1
    if (row.connected) connected += 1
    let client = clients.get(row.client_id)
    if (client === undefined) {
      client = { id: row.client_id, name: row.client_name, machines: 0, counts: noMachines() }
      clients.set(row.client_id, client)
    }
    client.machines += 1
    client.counts[part] += 1
  }
  return {
    machines: rows.length,
    connected,
    counts,
    clients: [...clients.values()].toSorted(
      (a, b) => compareWorst(a.counts, b.counts) || a.name.localeCompare(b.name, 'en', { numeric: true }),
    ),
  }
}
