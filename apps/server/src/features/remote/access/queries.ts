import { type getRemoteAccess, MAX_NAMED, RemoteSettings } from '@muster/contract/api/remote-access'
import {
  mergeRecordingSettings,
  mergeRemoteSettings,
  type RecordingRules,
  type RemoteRules,
} from '@muster/rules/remote/remote-rules'
import { type ExpressionBuilder, sql } from 'kysely'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Database, Db } from '../../../platform/database/database.ts'
import { readCoreSettings } from '../../../platform/config/core-settings.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { requireAgent } from '../../agents/require-agent.ts'
import { requireSite, requireWholeClient } from '../../clients/require-node.ts'

export type Settings = RemoteSettings

export const NO_SETTINGS: Settings = {
  forbidden: null,
  hours: null,
  consent: null,
  consent_seconds: null,
  banner: null,
  ask_purpose: null,
  record_terminals: null,
  record_desktops: null,
}

/** The settings of these targets, in order. */
export async function listSettings(db: Db, places: readonly Place[]): Promise<Settings[]> {
  const keys = places.map(keyOf)
  // The default has no parents, and PostgreSQL refuses an empty list.
  if (keys.length === 0) return []
  const rows = await db
    .selectFrom('remote_access')
    .select(['place', 'settings'])
    .where('place', 'in', keys)
    .execute()
  const byPlace = new Map(rows.map(({ place, settings }) => [place, readSettings(settings)]))
  return keys.map((key) => byPlace.get(key) ?? NO_SETTINGS)
}

/** The effective recording rules for these targets, the nearest last. */
export async function findRecordingRules(db: Db, places: readonly Place[]): Promise<RecordingRules> {
  const { record_terminals } = await readCoreSettings(db)
  return mergeRecordingSettings({ record_terminals, record_desktops: 'none' }, await listSettings(db, places))
}

/** Whether opening a tool requires a reason for these targets, the nearest last. */
export async function findReasonRequired(db: Db, places: readonly Place[]): Promise<boolean> {
  const settings = await listSettings(db, places)
  return settings.findLast(({ ask_purpose }) => ask_purpose !== null)?.ask_purpose ?? false
}

export async function saveSettings(db: Db, place: Place, settings: Settings): Promise<void> {
  const row = { settings: JSON.stringify(settings) }
  await db
    .insertInto('remote_access')
    .values({
      place: keyOf(place),
      client_id: place.level === 'client' ? place.id : null,
      site_id: place.level === 'site' ? place.id : null,
      agent_id: place.level === 'agent' ? place.id : null,
      ...row,
    })
    .onConflict((conflict) => conflict.column('place').doUpdateSet(row))
    .execute()
}

/** The effective rules of these machines. */
export async function findRules(
  db: Db,
  agentIds: readonly string[],
): Promise<{ agent_id: string; rules: RemoteRules }[]> {
  const [ofAll] = await listSettings(db, [{ level: 'default' }])
  const rows = await db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .leftJoin('remote_access as of_client', 'of_client.client_id', 'sites.client_id')
    .leftJoin('remote_access as of_site', 'of_site.site_id', 'sites.id')
    .leftJoin('remote_access as of_agent', 'of_agent.agent_id', 'agents.agent_id')
    .where('agents.agent_id', 'in', agentIds)
    .select([
      'agents.agent_id',
      'of_client.settings as client',
      'of_site.settings as site',
      'of_agent.settings as agent',
    ])
    .execute()
  return rows.map(({ agent_id, client, site, agent }) => {
    const near = [client, site, agent].flatMap((text) => (text === null ? [] : [readSettings(text)]))
    return { agent_id, rules: mergeRemoteSettings([ofAll ?? NO_SETTINGS, ...near]) }
  })
}

/** The machines of a target. Undefined = all. */
export async function findMachinesOf(db: Db, place: Place): Promise<string[] | undefined> {
  if (place.level === 'default') return undefined
  if (place.level === 'agent') return [place.id]
  const rows = await db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .where(place.level === 'site' ? 'sites.id' : 'sites.client_id', '=', place.id)
    .select('agents.agent_id')
    .execute()
  return rows.map(({ agent_id }) => agent_id)
}

/** Machines of a target whose agents are too old to enforce rules, with some names. */
export async function findUnenforcing(db: Db, place: Place) {
  const isHere = (eb: ExpressionBuilder<Database, 'agents' | 'sites'>) => {
    switch (place.level) {
      case 'default':
        return eb.lit(true)
      case 'client':
        return eb('sites.client_id', '=', place.id)
      case 'site':
        return eb('sites.id', '=', place.id)
      case 'agent':
        return eb('agents.agent_id', '=', place.id)
    }
  }
  const rows = await db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .select(['hostname', sql<number>`count(*) over ()`.as('total')])
    .where('enforces_rules', '=', 0)
    .$if(place.level !== 'default', (query) => query.where(isHere))
    .orderBy('hostname')
    .orderBy('agents.id')
    .limit(MAX_NAMED)
    .execute()
  return { count: Number(rows[0]?.total ?? 0), hostnames: rows.map(({ hostname }) => hostname) }
}

function readSettings(text: string): Settings {
  return RemoteSettings.parse(JSON.parse(text))
}

function keyOf(place: Place): string {
  return place.level === 'default' ? 'default-all' : `${place.level}-${place.id}`
}

export type PlaceRef = Parsed<typeof getRemoteAccess>['params']

type Place =
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
