import type { AgentRow } from '@muster/contract/api/agents'
import type { Counts } from '@muster/contract/events'
import type { Sight } from './sight.ts'

/** What the header shows: machines that this sight may see, by type and state. */
export function countAgents(rows: Iterable<AgentRow>, sight: Sight, daysUntilExpiry: number | null): Counts {
  const counts: Counts = {
    total_server_count: 0,
    total_server_offline_count: 0,
    total_workstation_count: 0,
    total_workstation_offline_count: 0,
    away_count: 0,
    days_until_cert_expires: daysUntilExpiry,
  }
  for (const row of rows) {
    if (!sight.sees(row)) continue
    const isOffline = row.status === 'online' ? 0 : 1
    if (row.monitoring_type === 'server') {
      counts.total_server_count += 1
      counts.total_server_offline_count += isOffline
    } else {
      counts.total_workstation_count += 1
      counts.total_workstation_offline_count += isOffline
    }
    if (!row.connected) counts.away_count += 1
  }
  return counts
}
