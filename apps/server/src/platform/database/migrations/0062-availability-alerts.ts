import type { Kysely } from 'kysely'

export const name = '0062-availability-alerts'
export const changesData = true

interface Tables {
  agents: { id: number; setting_sources: string; overdue_dashboard_alert: number }
  settings: { name: string; value: string }
}

/**
 * Machines whose overdue alert was turned on keep it as their own setting. An existing server stays silent until a
 * superuser decides; a new one alerts for servers.
 */
export async function up(untyped: Kysely<unknown>): Promise<void> {
  // The schema of that version.
  const db = untyped as Kysely<Tables>
  const isInUse = (await db.selectFrom('agents').select('id').limit(1).executeTakeFirst()) !== undefined
  if (!isInUse) return
  const alerting = await db
    .selectFrom('agents')
    .select(['id', 'setting_sources'])
    .where('overdue_dashboard_alert', '=', 1)
    .execute()
  for (const { id, setting_sources } of alerting) {
    // Written by the server of that version.
    const sources = JSON.parse(setting_sources) as Record<string, unknown>
    const value = JSON.stringify({ ...sources, overdue_dashboard_alert: { own: 1 } })
    await db.updateTable('agents').set({ setting_sources: value }).where('id', '=', id).execute()
  }
  const stored = await db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', 'core_settings')
    .executeTakeFirst()
  // Written by the server of that version.
  const settings = JSON.parse(stored?.value ?? '{}') as Record<string, unknown>
  const value = JSON.stringify({
    ...settings,
    availability_alerts_servers: false,
    availability_alerts_asked: false,
  })
  await db
    .insertInto('settings')
    .values({ name: 'core_settings', value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}
