import type { Scope } from '../../platform/http/caller.ts'

/** The location of a machine. */
export type AgentLocation = { client_id: number; site_id: number }

/** The visible objects of a scope, prepared for ten thousand lookups. Equal scopes have equal keys. */
export interface Visibility {
  key: string
  all: boolean
  sees(location: AgentLocation): boolean
  /** Whether a part of the client is visible. */
  seesClient(clientId: number): boolean
}

/** `clientsOfSites`: the clients of the sites in the scope, which are visible in part. */
export function createVisibility(scope: Scope, clientsOfSites: number[] = []): Visibility {
  if (scope.all) return { key: 'all', all: true, sees: () => true, seesClient: () => true }
  const clients = new Set(scope.clientIds)
  const sites = new Set(scope.siteIds)
  const parts = new Set([...clients, ...clientsOfSites])
  return {
    key: JSON.stringify([clients, sites, parts].map(sorted)),
    all: false,
    sees: (location) => clients.has(location.client_id) || sites.has(location.site_id),
    seesClient: (clientId) => parts.has(clientId),
  }
}

function sorted(ids: Set<number>): number[] {
  return [...ids].toSorted((a, b) => a - b)
}
