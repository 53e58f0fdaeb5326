import type { UpdateMode, UpdateSettings } from '@muster/contract/api/updates'
import { DEFAULT_MAX_ROLLBACKS, DEFAULT_WAVES } from '@muster/rules/agents/update-waves'
import { type Selectable, sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { AgentUpdatesTable } from '../../platform/database/tables/agents.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Scope } from '../../platform/http/caller.ts'

export type Update = Omit<Selectable<AgentUpdatesTable>, 'agent_id'>

/** How a machine is updated. */
interface UpdateRule {
  mode: UpdateMode
  pinned_version: string | null
  /** Its site's or client's own waves; null = those of all machines. */
  group: { place: string; waves: readonly number[] } | null
}

/** The part of a machine that decides whether it gets a version. */
export interface Updatable extends UpdateRule {
  version: string
  can_update: boolean
  update: Pick<Update, 'version' | 'state' | 'changed_at'> | null
}

/** A machine as the waves of an update see it. */
export interface WaveCandidate extends Updatable {
  agent_id: string
  client_id: number
  connected: boolean
  update: Pick<Update, 'version' | 'state' | 'username' | 'changed_at'> | null
}

/** A machine with its last update, and how it is updated. */
export interface UpdateMachine extends WaveCandidate {
  hostname: string
  client: string
  site: string
  update: Update | null
}

/** Machines in no order. */
export async function findUpdateMachines(
  db: Db,
  caller: { scope: Scope },
  agentIds?: readonly string[],
): Promise<UpdateMachine[]> {
  const ruleOf = await readRules(db)
  const rows = await selectMachines(db)
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .select(['agents.hostname', 'clients.name as client', 'sites.name as site', 'reason'])
    .where(visibleTo(caller))
    .$if(agentIds !== undefined, (query) => query.where('agents.agent_id', 'in', agentIds ?? []))
    .execute()
  return rows.map((row) => {
    const { hostname, client, site, reason } = row
    const found = describe(row, ruleOf(row))
    return { ...found, hostname, client, site, update: found.update && { ...found.update, reason } }
  })
}

/** All machines, without their names: read every few seconds while ten thousand are updated. */
export async function findWaveCandidates(db: Db): Promise<WaveCandidate[]> {
  const ruleOf = await readRules(db)
  const rows = await selectMachines(db).execute()
  return rows.map((row) => describe(row, ruleOf(row)))
}

/** All machines, counted: ten thousand are of a few dozen kinds. The time of an update is that of failed ones only. */
export async function countUpdatable(db: Db): Promise<(Updatable & { machines: number })[]> {
  const ruleOf = await readRules(db)
  const rows = await joinUpdates(db)
    .leftJoin('update_settings', (join) =>
      join.on('update_settings.place', '=', sql<string>`'agent:' || agents.agent_id`),
    )
    .select(['agents.version', 'agents.can_update', 'sites.id as site_id', 'sites.client_id', 'state'])
    .select(['agent_updates.version as update_version', 'update_settings.place as own_rule'])
    .select((eb) => eb.case().when('state', '=', 'failed').then(eb.ref('changed_at')).end().as('failed_at'))
    .select((eb) => eb.fn.countAll<number>().as('machines'))
    .groupBy(['agents.version', 'can_update', 'sites.id', 'sites.client_id', 'state', 'update_version'])
    .groupBy(['own_rule', 'failed_at'])
    .execute()
  return rows.map(({ version, state, update_version, machines, ...row }) => ({
    ...ruleOf({ ...row, agent_id: row.own_rule?.replace('agent:', '') ?? '' }),
    version,
    can_update: row.can_update === 1,
    update:
      update_version === null || state === null
        ? null
        : { version: update_version, state, changed_at: row.failed_at ?? '' },
    machines,
  }))
}

/** Settings are not joined: few machines have their own. */
function selectMachines(db: Db) {
  return joinUpdates(db)
    .select(['agents.agent_id', 'agents.version', 'agents.connected', 'agents.can_update'])
    .select(['sites.id as site_id', 'sites.client_id'])
    .select(['agent_updates.version as update_version', 'state', 'username', 'changed_at'])
}

function joinUpdates(db: Db) {
  return db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .leftJoin('agent_updates', 'agent_updates.agent_id', 'agents.agent_id')
}

type MachineRow = Awaited<ReturnType<ReturnType<typeof selectMachines>['execute']>>[number]

function describe(row: MachineRow, rule: UpdateRule): WaveCandidate {
  const { agent_id, client_id, version, update_version, state, username, changed_at } = row
  const isUpdated = update_version !== null && state !== null && changed_at !== null
  return {
    agent_id,
    client_id,
    version,
    connected: row.connected === 1,
    can_update: row.can_update === 1,
    mode: rule.mode,
    pinned_version: rule.pinned_version,
    group: rule.group,
    update: isUpdated ? { version: update_version, state, username, changed_at } : null,
  }
}

type Located = Pick<MachineRow, 'agent_id' | 'site_id' | 'client_id'>

async function readRules(db: Db): Promise<(machine: Located) => UpdateRule> {
  const { mode, version } = await readServerSettings(db)
  const settings = await db.selectFrom('update_settings').select(['place', 'settings']).execute()
  const byTarget = new Map(settings.map((row) => [row.place, readSettings(row.settings)]))
  byTarget.delete(SERVER_KEY)
  const rule = (given: Pick<UpdateSettings, 'mode' | 'version'>, group: UpdateRule['group']) => ({
    mode: given.mode ?? ('automatic' as const),
    pinned_version: given.mode === 'pinned' ? given.version : null,
    group,
  })
  const ofAll = rule({ mode, version }, null)
  if (byTarget.size === 0) return () => ofAll
  return ({ agent_id, site_id, client_id }) => {
    const near = [`agent:${agent_id}`, `site:${site_id}`, `client:${client_id}`]
    const own = near.map((key) => byTarget.get(key)).find((one) => (one?.mode ?? null) !== null)
    const target = near.find((key) => (byTarget.get(key)?.waves ?? null) !== null)
    const waves = target === undefined ? undefined : byTarget.get(target)?.waves
    return rule(own ?? { mode, version }, target === undefined || !waves ? null : { place: target, waves })
  }
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
