import type { Scope } from '../../platform/http/caller.ts'

/** Where a machine stands. */
export type Place = { client_id: number; site_id: number }

/** What a scope lets see, ready for being asked ten thousand times. Equal scopes have equal keys. */
export interface Sight {
  key: string
  all: boolean
  sees(place: Place): boolean
  /** Whether some part of the client is seen. */
  seesClient(clientId: number): boolean
}

/** `clientsOfSites`: the clients to which the sites of the scope belong, of which a part is seen therefore. */
export function createSight(scope: Scope, clientsOfSites: number[] = []): Sight {
  if (scope.all) return { key: 'all', all: true, sees: () => true, seesClient: () => true }
  const clients = new Set(scope.clientIds)
  const sites = new Set(scope.siteIds)
  const parts = new Set([...clients, ...clientsOfSites])
  return {
    key: JSON.stringify([clients, sites, parts].map(sorted)),
    all: false,
    sees: (place) => clients.has(place.client_id) || sites.has(place.site_id),
    seesClient: (clientId) => parts.has(clientId),
  }
}

function sorted(ids: Set<number>): number[] {
  return [...ids].toSorted((a, b) => a - b)
}
