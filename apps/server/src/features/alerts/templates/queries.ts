import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Db } from '../../../platform/database/database.ts'
import type { AlertTemplatesTable } from '../../../platform/database/tables/alerts.ts'
import { visibleTo } from '../../../platform/database/visible-to.ts'
import type { Scope } from '../../../platform/http/caller.ts'

export type TemplateRow = Selectable<AlertTemplatesTable>

export const ASSIGNED_TO = ['clients', 'sites', 'agents'] as const
const DEFAULT_SETTING = 'alert_template'

export function findTemplates(db: Db): Promise<TemplateRow[]> {
  return db.selectFrom('alert_templates').selectAll().orderBy('name').execute()
}

export function findTemplate(db: Db, id: number): Promise<TemplateRow | undefined> {
  return db.selectFrom('alert_templates').selectAll().where('id', '=', id).executeTakeFirst()
}

export function insertTemplate(tx: Db, row: Insertable<AlertTemplatesTable>): Promise<TemplateRow> {
  return tx.insertInto('alert_templates').values(row).returningAll().executeTakeFirstOrThrow()
}

export function updateTemplate(
  tx: Db,
  id: number,
  change: Updateable<AlertTemplatesTable>,
): Promise<TemplateRow> {
  return tx
    .updateTable('alert_templates')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteTemplateRow(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('alert_templates').where('id', '=', id).execute()
}

/** The default template. Null = none. */
export async function findDefault(db: Db): Promise<number | null> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', DEFAULT_SETTING)
    .executeTakeFirst()
  return row === undefined ? null : Number(row.value)
}

export async function storeDefault(tx: Db, id: number | null): Promise<void> {
  await tx.deleteFrom('settings').where('name', '=', DEFAULT_SETTING).execute()
  if (id === null) return
  await tx
    .insertInto('settings')
    .values({ name: DEFAULT_SETTING, value: `${id}` })
    .execute()
}

/** Visible assignments of each template. */
export async function findAssigned(db: Db, caller: { scope: Scope }) {
  const nodes = db.selectFrom('sites').innerJoin('clients', 'clients.id', 'sites.client_id')
  const clients = await nodes
    .select(['clients.id', 'clients.name', 'clients.alert_template_id'])
    .distinct()
    .where('clients.alert_template_id', 'is not', null)
    .where(visibleTo(caller))
    .orderBy('clients.name')
    .execute()
  const sites = await nodes
    .select(['sites.id', 'sites.name', 'clients.name as client_name', 'sites.alert_template_id'])
    .where('sites.alert_template_id', 'is not', null)
    .where(visibleTo(caller))
    .orderBy('sites.name')
    .execute()
  const agents = await db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .select(['agents.agent_id', 'agents.hostname', 'sites.name as site_name', 'agents.alert_template_id'])
    .where('agents.alert_template_id', 'is not', null)
    .where(visibleTo(caller))
    .orderBy('agents.hostname')
    .execute()
  return { clients, sites, agents }
}

/** The policies that use a template, by id. */
export async function findPolicyNames(
  db: Db,
  steps: readonly { policy: number | null }[],
): Promise<Map<number, string>> {
  const ids = steps.flatMap(({ policy }) => (policy === null ? [] : [policy]))
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('policies').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** By id. */
export async function findScriptNames(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('scripts').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}
