import type { AlertCause } from '@muster/contract/api/alerts'
import { linkOptions } from '@tanstack/react-router'

/** The machines that a search finds, of one client or all. */
export function toMachines(search: string, client: number | undefined) {
  return linkOptions({
    to: '/',
    search: {
      tab: 'mixed',
      search,
      ...(client === undefined ? {} : { node: `Client|${client}` as const }),
    },
  })
}

/** The alerts of a cause, or all, of one client or all. */
export function toAlerts(cause: Pick<AlertCause, 'key'> | undefined, client: number | undefined) {
  return linkOptions({
    to: '/alerts',
    search: {
      ...(cause === undefined ? {} : { group: cause.key }),
      ...(client === undefined ? {} : { clients: `${client}` }),
    },
  })
}

/** The resolved alerts of the last day. */
export function toResolvedAlerts(client: number | undefined) {
  return linkOptions({
    to: '/alerts',
    search: { state: 'resolved', days: '1', ...(client === undefined ? {} : { clients: `${client}` }) },
  })
}

export function toPatches(client: number | undefined, filter: { decision?: 'undecided' } = {}) {
  return linkOptions({
    to: '/patches',
    search: { ...filter, ...(client === undefined ? {} : { client: `${client}` }) },
  })
}

export function toMetrics(agent: string) {
  return linkOptions({ to: '/agents/$agent_id', params: { agent_id: agent }, search: { pane: 'metrics' } })
}
