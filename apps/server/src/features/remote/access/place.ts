import type { getRemoteAccess } from '@muster/contract/api/remote-access'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Db } from '../../../platform/database/database.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { requireAgent } from '../../agents/require-agent.ts'
import { requireSite, requireWholeClient } from '../../clients/require-node.ts'

export type PlaceRef = Parsed<typeof getRemoteAccess>['params']

export type Place =
  | { level: 'default' }
  | { level: 'client'; id: number }
  | { level: 'site'; id: number }
  | { level: 'agent'; id: string }

export interface NamedPlace {
  place: Place
  /** Empty for all machines. */
  name: string
  /** From the farthest to the nearest. */
  above: Place[]
}

/** Returns the target with its parents. Throws if the caller may not change its rules. */
export async function requirePlace(db: Db, caller: Caller, { level, id }: PlaceRef): Promise<NamedPlace> {
  const all = { level: 'default' as const }
  switch (level) {
    case 'default': {
      if (caller.scope.all) return { place: all, name: '', above: [] }
      throw new AppError(
        'not_allowed',
        'Only users with access to every client may change the settings for all machines.',
      )
    }
    case 'client': {
      const client = await requireWholeClient(db, numberOf(id), caller)
      return { place: { level, id: client.id }, name: client.name, above: [all] }
    }
    case 'site': {
      const site = await requireSite(db, numberOf(id), caller)
      const above: Place[] = [all, { level: 'client', id: site.client_id }]
      return { place: { level, id: site.id }, name: site.name, above }
    }
    case 'agent': {
      const agent = await requireAgent(db, id, caller)
      const above = placesOf(agent).slice(0, -1)
      return { place: { level, id: agent.agent_id }, name: agent.hostname, above }
    }
  }
}

/** All targets that apply to a machine, from the farthest to the nearest. */
export function placesOf(agent: { agent_id: string; client_id: number; site_id: number }): Place[] {
  return [
    { level: 'default' },
    { level: 'client', id: agent.client_id },
    { level: 'site', id: agent.site_id },
    { level: 'agent', id: agent.agent_id },
  ]
}

function numberOf(id: string): number {
  return /^\d{1,9}$/.test(id) ? Number(id) : 0
}
