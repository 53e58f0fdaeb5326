import type { UpdateMode, UpdateSettings } from '@muster/contract/api/updates'
import { DEFAULT_MAX_ROLLBACKS, DEFAULT_WAVES } from '@muster/rules/agents/update-waves'
import type { Selectable } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { AgentUpdatesTable } from '../../platform/database/tables/agents.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Scope } from '../../platform/http/caller.ts'

export type Update = Omit<Selectable<AgentUpdatesTable>, 'agent_id'>

/** A machine with its last update, and how it is updated. */
export interface UpdateMachine {
  agent_id: string
  hostname: string
  client: string
  site: string
  version: string
  connected: boolean
  can_update: boolean
  mode: UpdateMode
  pinned_version: string | null
  /** Its site's or client's own waves; null = those of all machines. */
  group: { place: string; waves: readonly number[] } | null
  update: Update | null
}

/** Machines in no order. Read every few seconds while ten thousand are updated, so settings are not joined. */
export async function findUpdateMachines(
  db: Db,
  caller: { scope: Scope },
  agentIds?: readonly string[],
): Promise<UpdateMachine[]> {
  const ofAll = await readServerSettings(db)
  const settings = await db.selectFrom('update_settings').select(['place', 'settings']).execute()
  const byTarget = new Map(settings.map((row) => [row.place, readSettings(row.settings)]))
  const rows = await db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .leftJoin('agent_updates', 'agent_updates.agent_id', 'agents.agent_id')
    .select(['agents.agent_id', 'agents.hostname', 'agents.version', 'agents.connected', 'agents.can_update'])
    .select([
      'clients.name as client',
      'sites.name as site',
      'clients.id as client_id',
      'sites.id as site_id',
    ])
    .select(['agent_updates.version as update_version', 'state', 'reason', 'username', 'changed_at'])
    .where(visibleTo(caller))
    .$if(agentIds !== undefined, (query) => query.where('agents.agent_id', 'in', agentIds ?? []))
    .execute()
  return rows.map((row) => {
    const near = [`agent:${row.agent_id}`, `site:${row.site_id}`, `client:${row.client_id}`]
    const own = near.map((key) => byTarget.get(key)).find((one) => (one?.mode ?? null) !== null)
    const { mode, version } = own ?? ofAll
    const place = near.find((key) => (byTarget.get(key)?.waves ?? null) !== null)
    const waves = place === undefined ? undefined : byTarget.get(place)?.waves
    const { update_version, state, reason, username, changed_at } = row
    return {
      agent_id: row.agent_id,
      hostname: row.hostname,
      client: row.client,
      site: row.site,
      version: row.version,
      connected: row.connected === 1,
      can_update: row.can_update === 1,
      mode: mode ?? 'automatic',
      pinned_version: mode === 'pinned' ? version : null,
      group: place === undefined || !waves ? null : { place, waves },
      update:
        update_version === null || state === null || changed_at === null
          ? null
          : { version: update_version, state, reason, username, changed_at },
    }
  })
}

export const NO_SETTINGS: UpdateSettings = { mode: null, version: null, waves: null, max_rollbacks: null }
export const SERVER_KEY = 'default'

/** The settings of all machines, with their defaults. */
export async function readServerSettings(db: Db) {
  const row = await db
    .selectFrom('update_settings')
    .select('settings')
    .where('place', '=', SERVER_KEY)
    .executeTakeFirst()
  const { mode, version, waves, max_rollbacks } = readSettings(row?.settings ?? null)
  return {
    mode: mode ?? ('automatic' as const),
    version,
    waves: waves ?? DEFAULT_WAVES,
    max_rollbacks: max_rollbacks ?? DEFAULT_MAX_ROLLBACKS,
  }
}

export function readSettings(text: string | null): UpdateSettings {
  // Written by change-update-settings.ts with the contract's schema.
  return text === null ? NO_SETTINGS : (JSON.parse(text) as UpdateSettings)
}

export function findRollout(db: Db, version: string) {
  return db.selectFrom('update_rollouts').selectAll().where('version', '=', version).executeTakeFirst()
}
