import { type Kysely, sql } from 'kysely'

export const name = '0065-retention'
export const changesData = true

/**
 * Ended runs are found by their end. An existing database keeps its runs and audit entries forever until someone sets a
 * limit; a new one starts with the default limits.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('agent_history_finished').on('agent_history').column('finished_at').execute()
  const used = await sql`select 1 from audit_log union all select 1 from agent_history limit 1`.execute(db)
  if (used.rows.length === 0) return
  const { rows } = await sql<{
    value: string
  }>`select value from settings where name = 'core_settings'`.execute(db)
  // Written by the settings of that time.
  const stored = JSON.parse(rows[0]?.value ?? '{}') as Record<string, unknown>
  const value = JSON.stringify({ ...stored, agent_history_prune_days: 0, audit_log_prune_days: 0 })
  await sql`insert into settings (name, value) values ('core_settings', ${value})
    on conflict (name) do update set value = excluded.value`.execute(db)
}
