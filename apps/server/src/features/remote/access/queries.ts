import { type getRemoteAccess, MAX_NAMED, RemoteSettings } from '@muster/contract/api/remote-access'
import {
  dropOverruled,
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
  enforced: false,
}

/** The settings of these targets, in order. */
export async function listSettings(db: Db, targets: readonly AccessTarget[]): Promise<Settings[]> {
  const keys = targets.map(keyOf)
  // The default has no parents, and PostgreSQL refuses an empty list.
  if (keys.length === 0) return []
  const rows = await db
    .selectFrom('remote_access')
    .select(['place', 'settings'])
    .where('place', 'in', keys)
    .execute()
  const byKey = new Map(rows.map(({ place, settings }) => [place, readSettings(settings)]))
  return keys.map((key) => byKey.get(key) ?? NO_SETTINGS)
}

/** The effective recording rules for these targets, the nearest last. */
export async function findRecordingRules(db: Db, targets: readonly AccessTarget[]): Promise<RecordingRules> {
  const { record_terminals } = await readCoreSettings(db)
  return mergeRecordingSettings(
    { record_terminals, record_desktops: 'none' },
    await listSettings(db, targets),
  )
}

/** Whether opening a tool requires a reason for these targets, the nearest last. */
export async function findReasonRequired(db: Db, targets: readonly AccessTarget[]): Promise<boolean> {
  const settings = dropOverruled(await listSettings(db, targets))
  return settings.findLast(({ ask_purpose }) => ask_purpose !== null)?.ask_purpose ?? false
}

export async function saveSettings(db: Db, target: AccessTarget, settings: Settings): Promise<void> {
  const row = { settings: JSON.stringify(settings) }
  await db
    .insertInto('remote_access')
    .values({
      place: keyOf(target),
      ...targetColumns(target),
      ...row,
    })
    .onConflict((conflict) => conflict.column('place').doUpdateSet(row))
    .execute()
}

/** Columns of a row of settings that belongs to a target. For all machines, all are null. */
export function targetColumns(target: AccessTarget) {
  return {
    client_id: target.level === 'client' ? target.id : null,
    site_id: target.level === 'site' ? target.id : null,
    agent_id: target.level === 'agent' ? target.id : null,
  }
}

/** An audit entry about settings of a target: `Changed the remote access of the site "Berlin"`. */
export function auditedChange(what: string, { target, name }: NamedTarget) {
  if (target.level === 'default')
    return { object_type: 'coresettings', message: `Changed the ${what} of all machines` } as const
  const word = target.level === 'agent' ? 'machine' : target.level
  return {
    object_type: target.level,
    message: `Changed the ${what} of the ${word} "${name}"`,
    ...(target.level === 'client' && { client: { id: target.id } }),
    ...(target.level === 'site' && { site: { id: target.id } }),
    ...(target.level === 'agent' && { agent: { agent_id: target.id } }),
  }
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
export async function findMachinesOf(db: Db, target: AccessTarget): Promise<string[] | undefined> {
  if (target.level === 'default') return undefined
  if (target.level === 'agent') return [target.id]
  const rows = await db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .where(target.level === 'site' ? 'sites.id' : 'sites.client_id', '=', target.id)
    .select('agents.agent_id')
    .execute()
  return rows.map(({ agent_id }) => agent_id)
}

/** Machines of a target whose agents are too old to enforce rules, with some names. */
export async function findUnenforcing(db: Db, target: AccessTarget) {
  const isHere = (eb: ExpressionBuilder<Database, 'agents' | 'sites'>) => {
    switch (target.level) {
      case 'default':
        return eb.lit(true)
      case 'client':
        return eb('sites.client_id', '=', target.id)
      case 'site':
        return eb('sites.id', '=', target.id)
      case 'agent':
        return eb('agents.agent_id', '=', target.id)
    }
  }
  const rows = await db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .select(['hostname', sql<number>`count(*) over ()`.as('total')])
    .where('enforces_rules', '=', 0)
    .$if(target.level !== 'default', (query) => query.where(isHere))
    .orderBy('hostname')
    .orderBy('agents.id')
    .limit(MAX_NAMED)
    .execute()
  return { count: Number(rows[0]?.total ?? 0), hostnames: rows.map(({ hostname }) => hostname) }
}

function readSettings(text: string): Settings {
  return RemoteSettings.parse(JSON.parse(text))
}

function keyOf(target: AccessTarget): string {
  return target.level === 'default' ? 'default-all' : `${target.level}-${target.id}`
}

export type TargetRef = Parsed<typeof getRemoteAccess>['params']

type AccessTarget =
  | { level: 'default' }
  | { level: 'client'; id: number }
  | { level: 'site'; id: number }
  | { level: 'agent'; id: string }

export interface NamedTarget {
  target: AccessTarget
  /** Empty for all machines. */
  name: string
  /** From the farthest to the nearest. */
  above: AccessTarget[]
}

/** Returns the target with its parents. Throws if the caller may not change its rules. */
export async function requireTarget(db: Db, caller: Caller, { level, id }: TargetRef): Promise<NamedTarget> {
  const all = { level: 'default' as const }
  switch (level) {
    case 'default': {
      if (caller.scope.all) return { target: all, name: '', above: [] }
      throw new AppError(
        'not_allowed',
        'Only users with access to every client may change the settings for all machines.',
      )
    }
    case 'client': {
      const client = await requireWholeClient(db, numberOf(id), caller)
      return { target: { level, id: client.id }, name: client.name, above: [all] }
    }
    case 'site': {
      const site = await requireSite(db, numberOf(id), caller)
      const above: AccessTarget[] = [all, { level: 'client', id: site.client_id }]
      return { target: { level, id: site.id }, name: site.name, above }
    }
    case 'agent': {
      const agent = await requireAgent(db, id, caller)
      const above = targetsOf(agent).slice(0, -1)
      return { target: { level, id: agent.agent_id }, name: agent.hostname, above }
    }
  }
}

/** All targets that apply to a machine, from the farthest to the nearest. */
export function targetsOf(agent: { agent_id: string; client_id: number; site_id: number }): AccessTarget[] {
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
