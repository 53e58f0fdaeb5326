import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Database } from '../database.ts'
import { migrate } from '../migrate.ts'
import { testEngines } from '../test-engines.ts'
import { companyName } from './0050-and-later.ts'
import { migrations } from './index.ts'

test.each(testEngines)('$engine: the company of the first-time setup becomes a setting', async ({ open }) => {
  await using database = await open<Database>()
  const { db } = database
  const dataFolder = mkdtempSync(join(tmpdir(), 'muster-company-'))
  const at = migrations.findIndex((migration) => migration.name === companyName.name)
  await migrate(database, { migrations: migrations.slice(0, at), dataFolder })
  await sql`insert into settings (name, value) values
    ('core_settings', '{"metrics_interval":30}'), ('companyname', '" Ada & Co"'),
    ('default_time_zone', '"Europe/Berlin"')`.execute(db)
  await migrate(database, { migrations, dataFolder })
  rmSync(dataFolder, { recursive: true })
  const rows = await db.selectFrom('settings').selectAll().execute()
  expect(rows.map(({ name: key, value }) => [key, JSON.parse(value) as unknown])).toEqual([
    ['core_settings', { metrics_interval: 30, companyname: 'Ada & Co' }],
  ])
})
