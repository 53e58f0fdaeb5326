import { type Kysely, sql } from 'kysely'

export const name = '0022-agent-facts'
export const changesData = true

/** Machine facts, some kilobytes each, move out of the rows that change with every link. */
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
  // Lets the tree count the machines of each site, and those in maintenance, from the index alone.
  await db.schema.dropIndex('agents_site').execute()
  await db.schema.createIndex('agents_site').on('agents').columns(['site_id', 'maintenance_mode']).execute()
}
