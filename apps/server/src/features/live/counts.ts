import type { AgentRow } from '@muster/contract/api/agents'
import type { Counts } from '@muster/contract/events'
import { isUnalerted } from '@muster/rules/alerts/availability-alert'
import type { Place, Sight } from './sight.ts'

type MachineCounts = Omit<Counts, 'days_until_cert_expires'>
/** Counts of one site; machines are counted once, however many consoles see different parts of them. */
export type SiteCounts = { place: Place; counts: MachineCounts }

export function countBySite(rows: Iterable<AgentRow>): SiteCounts[] {
  const sites = new Map<number, SiteCounts>()
  for (const row of rows) {
    const site = sites.get(row.site_id) ?? { place: row, counts: noMachines() }
    sites.set(row.site_id, site)
    addMachine(site.counts, row)
  }
  return [...sites.values()]
}

/** What the header shows: machines that this sight may see, by type and state. */
export function sumCounts(sites: SiteCounts[], sight: Sight): MachineCounts {
  const sum = noMachines()
  for (const { place, counts } of sites) {
    if (!sight.sees(place)) continue
    for (const name of NAMES) sum[name] += counts[name]
  }
  return sum
}

function noMachines(): MachineCounts {
  return {
    total_server_count: 0,
    total_server_offline_count: 0,
    total_workstation_count: 0,
    total_workstation_offline_count: 0,
    away_count: 0,
    overdue_count: 0,
    unalerted_server_count: 0,
    unalerted_workstation_count: 0,
  }
}
// The keys of the object are those of its type.
const NAMES = Object.keys(noMachines()) as (keyof MachineCounts)[]

function addMachine(counts: MachineCounts, row: AgentRow): void {
  const isOffline = row.status === 'online' ? 0 : 1
  if (row.monitoring_type === 'server') {
    counts.total_server_count += 1
    counts.total_server_offline_count += isOffline
  } else {
    counts.total_workstation_count += 1
    counts.total_workstation_offline_count += isOffline
  }
  if (!row.connected) counts.away_count += 1
  if (row.status === 'overdue' && !row.maintenance_mode) counts.overdue_count += 1
  if (!isUnalerted(row)) return
  if (row.monitoring_type === 'server') counts.unalerted_server_count += 1
  else counts.unalerted_workstation_count += 1
}
