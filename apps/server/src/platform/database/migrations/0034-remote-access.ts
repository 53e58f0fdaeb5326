import type { Kysely } from 'kysely'

export const name = '0034-remote-access'
export const changesData = false

/** Remote access settings of clients, sites, machines and the default. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('remote_access')
    .addColumn('place', 'text', (col) => col.primaryKey())
    .addColumn('client_id', 'integer', (col) => col.references('clients.id').onDelete('cascade'))
    .addColumn('site_id', 'integer', (col) => col.references('sites.id').onDelete('cascade'))
    .addColumn('agent_id', 'text', (col) => col.references('agents.agent_id').onDelete('cascade'))
    .addColumn('settings', 'text', (col) => col.notNull())
    .execute()
  for (const column of ['client_id', 'site_id', 'agent_id'])
    await db.schema.createIndex(`remote_access_${column}`).on('remote_access').columns([column]).execute()
}
