import { type Kysely, sql } from 'kysely'

export const name = '0022-agent-facts'
export const changesData = true

/** What machines say of themselves, some kilobytes each, leaves the rows that change with every link and every switch. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('agent_facts')
    .addColumn('agent', 'integer', (col) => col.primaryKey().references('agents.id').onDelete('cascade'))
    .addColumn('facts', 'text', (col) => col.notNull())
    .execute()
  await sql`insert into agent_facts (agent, facts) select id, facts from agents where facts is not null`.execute(
    db,
  )
  await db.schema.alterTable('agents').dropColumn('facts').execute()
  // The tree counts the machines of each site, and asks whether one is in maintenance: from the index alone.
  await db.schema.dropIndex('agents_site').execute()
  await db.schema.createIndex('agents_site').on('agents').columns(['site_id', 'maintenance_mode']).execute()
}
