import { type Kysely, sql } from 'kysely'

export const name = '0066-company-name'
export const changesData = true

/** The company of the first-time setup becomes a core setting. Its time zone was never used and is deleted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ name: string; value: string }>`
    select name, value from settings where name in ('companyname', 'core_settings')`.execute(db)
  const values = new Map(rows.map((row) => [row.name, row.value]))
  // Written by the setup as the JSON of a text, and by the settings of that time.
  const companyname = JSON.parse(values.get('companyname') ?? '""') as string
  const stored = JSON.parse(values.get('core_settings') ?? '{}') as Record<string, unknown>
  if (companyname.trim() !== '') {
    const value = JSON.stringify({ ...stored, companyname: companyname.trim() })
    await sql`insert into settings (name, value) values ('core_settings', ${value})
      on conflict (name) do update set value = excluded.value`.execute(db)
  }
  await sql`delete from settings where name in ('companyname', 'default_time_zone')`.execute(db)
}
