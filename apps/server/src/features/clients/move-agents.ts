import { AppError } from '@muster/contract/errors'
import type { Event } from '@muster/contract/events'
import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { SiteRow } from './queries.ts'
import { requireSite } from './require-node.ts'

const IDS_PER_EVENT = 1000
const RULES_IDS_PER_EVENT = 500
const MOVE_AUDIT_COLUMNS = [
  'entry_time',
  'username',
  'ip_address',
  'action',
  'object_type',
  'message',
  'before_value',
  'after_value',
  'agent_id',
  'agent',
  'client_id',
  'client',
  'site_id',
  'site',
] as const

export interface Move {
  caller: Caller
  at: Date
  /** The object to be deleted, which the machines leave. */
  leaving: { name: string; sites: SiteRow[] }
  targetSiteId: number | undefined
  emit: (event: Event) => void
}

/** Moves every machine of the sites to the target. Throws if machines would be left without a site. */
export async function moveAgents(
  { hooks }: Context,
  tx: Db,
  move: Move,
): Promise<{ moved: number; target: SiteRow | undefined }> {
  const { leaving, targetSiteId, caller, emit } = move
  const target = targetSiteId === undefined ? undefined : await requireSite(tx, targetSiteId, caller)
  if (target !== undefined && leaving.sites.some((site) => site.id === target.id)) {
    refuseTarget(`"${target.name}" is itself being deleted. Choose another site for the machines.`)
  }
  const siteIds = leaving.sites.map((site) => site.id)
  const agentIds = await findAgentIds(tx, siteIds)
  if (agentIds.length === 0) return { moved: 0, target }
  if (target === undefined) {
    const machines = agentIds.length === 1 ? 'a machine' : `${agentIds.length} machines`
    throw new AppError('client_not_empty', `"${leaving.name}" has ${machines}. Choose a site to move to.`)
  }
  for (const site of leaving.sites) await auditMoves(tx, move, site, target)
  await tx
    .updateTable('agents')
    .set({ site_id: target.id, modified: move.at.toISOString() })
    .where('site_id', 'in', siteIds)
    .execute()
  await hooks.variablesChanged(tx, emit, { agentIds })
  emitAgentsChanged(emit, agentIds)
  emitRulesChanged(emit, agentIds)
  for (const ids of chunk(agentIds)) emit({ type: 'audit.added', ids: [], agent_ids: ids })
  return { moved: agentIds.length, target }
}

export async function findAgentIds(tx: Db, siteIds: number[]): Promise<string[]> {
  const rows = await tx.selectFrom('agents').select('agent_id').where('site_id', 'in', siteIds).execute()
  return rows.map((row) => row.agent_id)
}

export function emitAgentsChanged(emit: (event: Event) => void, agentIds: string[]): void {
  for (const ids of chunk(agentIds)) emit({ type: 'agent.changed', ids, agent_ids: ids })
}

/** The remote access rules of these machines changed, or of all machines (undefined). */
export function emitRulesChanged(
  emit: (event: Event) => void,
  agentIds: readonly string[] | undefined,
): void {
  if (agentIds === undefined || agentIds.length === 0) {
    // Consoles may show a target without machines.
    return emit({
      type: 'remote_access.changed',
      ids: [],
      ...(agentIds === undefined ? {} : { agent_ids: [] }),
    })
  }
  for (let from = 0; from < agentIds.length; from += RULES_IDS_PER_EVENT) {
    const ids = agentIds.slice(from, from + RULES_IDS_PER_EVENT)
    emit({ type: 'remote_access.changed', ids, agent_ids: ids })
  }
}

function chunk(agentIds: string[]): string[][] {
  const count = Math.ceil(agentIds.length / IDS_PER_EVENT)
  return Array.from({ length: count }, (_, index) =>
    agentIds.slice(index * IDS_PER_EVENT, (index + 1) * IDS_PER_EVENT),
  )
}

/** One audit row per machine, in one statement, because there may be thousands. */
async function auditMoves(tx: Db, { caller, at }: Move, from: SiteRow, to: SiteRow): Promise<void> {
  await tx
    .insertInto('audit_log')
    .columns(MOVE_AUDIT_COLUMNS)
    .expression((eb) =>
      eb
        .selectFrom('agents')
        .select([
          text(at.toISOString()).as('entry_time'),
          text(caller.username).as('username'),
          text(caller.source).as('ip_address'),
          text('modify').as('action'),
          text('agent').as('object_type'),
          text(`Moved from "${from.client_name}, ${from.name}" to "${to.client_name}, ${to.name}"`).as(
            'message',
          ),
          text(JSON.stringify({ client: from.client_name, site: from.name })).as('before_value'),
          text(JSON.stringify({ client: to.client_name, site: to.name })).as('after_value'),
          'agents.agent_id',
          'agents.hostname',
          sql<number>`cast(${to.client_id} as integer)`.as('client_id'),
          text(to.client_name).as('client'),
          sql<number>`cast(${to.id} as integer)`.as('site_id'),
          text(to.name).as('site'),
        ])
        .where('agents.site_id', '=', from.id),
    )
    .execute()
}

/** A constant in a select list, whose type PostgreSQL cannot infer. */
function text(value: string) {
  return sql<string>`cast(${value} as text)`
}

function refuseTarget(sentence: string): never {
  throw new AppError('invalid', sentence, { fields: { move_to_site: [sentence] } })
}
