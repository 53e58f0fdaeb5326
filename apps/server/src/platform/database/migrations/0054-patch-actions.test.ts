import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Database } from '../database.ts'
import { migrate } from '../migrate.ts'
import { testEngines } from '../test-engines.ts'
import { patchActions } from './0050-and-later.ts'
import { migrations } from './index.ts'

test.each(testEngines)('$engine: reported patches get numbers', async ({ open }) => {
  await using database = await open<Database>()
  const { db } = database
  const dataFolder = mkdtempSync(join(tmpdir(), 'muster-patches-'))
  const at = migrations.findIndex((migration) => migration.name === patchActions.name)
  await migrate(database, { migrations: migrations.slice(0, at), dataFolder })
  await sql`insert into clients (name, created_at) values ('Acme', '')`.execute(db)
  await sql`insert into sites (client_id, name, created_at) select id, 'Bern', '' from clients`.execute(db)
  await sql`insert into agents
    (agent_id, site_id, public_key, machine_key, monitoring_type, hostname, plat, arch, created_at, modified)
    select 'a', id, '', 'a', 'server', 'a', 'linux', 'amd64', '', '' from sites`.execute(db)
  await sql`insert into machine_patches (agent, hash, patches, pending, left_out, looked_at)
    select id, '', '[{"guid":"libc6"},{"guid":"bash"}]', 2, 0, '' from agents`.execute(db)
  await migrate(database, { migrations, dataFolder })
  rmSync(dataFolder, { recursive: true })
  const row = await db.selectFrom('machine_patches').selectAll().executeTakeFirstOrThrow()
  expect([row.last_number, JSON.parse(row.patches)]).toEqual([
    2,
    [
      { guid: 'libc6', number: 1, action: 'inherit' },
      { guid: 'bash', number: 2, action: 'inherit' },
    ],
  ])
})
