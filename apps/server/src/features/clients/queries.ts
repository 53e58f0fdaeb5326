import type { Severity } from '@muster/contract/fields'
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Database, Db } from '../../platform/database/database.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Scope } from '../../platform/http/caller.ts'

export interface SiteStateRow {
  id: number
  name: string
  block_policy_inheritance: 0 | 1
  client_id: number
  client_name: string
  client_block_policy_inheritance: 0 | 1
  alert_template_id: number | null
  client_alert_template_id: number | null
}

/** One node instead of all. */
export type NodeFilter = { clientId?: number; siteId?: number }

/** Visible sites with their client. */
export function findSiteStates(db: Db, caller: { scope: Scope }, node: NodeFilter): Promise<SiteStateRow[]> {
  return db
    .selectFrom('sites')
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .select(['sites.id', 'sites.name', 'sites.block_policy_inheritance'])
    .select(['sites.client_id', 'clients.name as client_name'])
    .select('clients.block_policy_inheritance as client_block_policy_inheritance')
    .select(['sites.alert_template_id', 'clients.alert_template_id as client_alert_template_id'])
    .where(visibleTo(caller))
    .$call((query) => onlyNode(query, node))
    .execute()
}

/** A site with failing tasks of this severity. */
export interface FailingRow {
  site_id: number
  alert_severity: Severity
}

/** Sites with failing tasks, except on machines in maintenance. */
export function findFailingSites(db: Db, caller: { scope: Scope }, node: NodeFilter): Promise<FailingRow[]> {
  return db
    .selectFrom('task_results')
    .innerJoin('tasks', 'tasks.id', 'task_results.task_id')
    .innerJoin('agents', 'agents.agent_id', 'tasks.agent_id')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .select(['agents.site_id', 'tasks.alert_severity'])
    .distinct()
    .where('task_results.status', '=', 'failing')
    .where('tasks.enabled', '=', 1)
    .where('agents.maintenance_mode', '=', 0)
    .where(visibleTo(caller))
    .$call((query) => onlyNode(query, node))
    .execute()
}

export interface SiteRow {
  id: number
  name: string
  client_id: number
  client_name: string
  alert_template_id: number | null
  client_alert_template_id: number | null
}

export function findSites(db: Db, caller: { scope: Scope }, node: NodeFilter): Promise<SiteRow[]> {
  return db
    .selectFrom('sites')
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .select(['sites.id', 'sites.name', 'sites.client_id', 'clients.name as client_name'])
    .select(['sites.alert_template_id', 'clients.alert_template_id as client_alert_template_id'])
    .where(visibleTo(caller))
    .$call((query) => onlyNode(query, node))
    .orderBy('sites.name')
    .execute()
}

/**
 * Locks the client and its sites against changes until the transaction ends, by an update without effect, because
 * SQLite has no `for update`. Returns false if the client does not exist.
 */
export async function lockClient(db: Db, clientId: number): Promise<boolean> {
  const result = await db
    .updateTable('clients')
    .set({ name: sql`name` })
    .where('id', '=', clientId)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

export function insertClient(db: Db, name: string, createdAt: string): Promise<{ id: number }> {
  return db
    .insertInto('clients')
    .values({ name, created_at: createdAt })
    .returning('id')
    .executeTakeFirstOrThrow()
}

export function insertSite(
  db: Db,
  site: { client_id: number; name: string; created_at: string },
): Promise<{ id: number }> {
  return db.insertInto('sites').values(site).returning('id').executeTakeFirstOrThrow()
}

export async function updateClientName(db: Db, clientId: number, name: string): Promise<void> {
  await db.updateTable('clients').set({ name }).where('id', '=', clientId).execute()
}

export async function updateSite(
  db: Db,
  siteId: number,
  site: { name: string; client_id: number },
): Promise<void> {
  await db.updateTable('sites').set(site).where('id', '=', siteId).execute()
}

export async function deleteSites(db: Db, siteIds: number[]): Promise<void> {
  await db.deleteFrom('sites').where('id', 'in', siteIds).execute()
}

export async function deleteClientRow(db: Db, clientId: number): Promise<void> {
  await db.deleteFrom('clients').where('id', '=', clientId).execute()
}

export async function countClients(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('clients')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

function onlyNode<DB extends Database, Tables extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Tables | 'sites', Row>,
  { clientId, siteId }: NodeFilter,
): SelectQueryBuilder<DB, Tables | 'sites', Row> {
  let chosen = query
  if (clientId !== undefined) chosen = chosen.where(sql<boolean>`sites.client_id = ${clientId}`)
  if (siteId !== undefined) chosen = chosen.where(sql<boolean>`sites.id = ${siteId}`)
  return chosen
}
