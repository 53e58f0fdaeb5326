import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Database } from '../database.ts'
import { migrate } from '../migrate.ts'
import { testEngines } from '../test-engines.ts'
import { agentFacts } from './0010-to-0024.ts'
import { migrations } from './index.ts'

test.each(testEngines)('$engine: facts of machines are kept', async ({ open }) => {
  await using database = await open<Database>()
  const { db } = database
  const dataFolder = mkdtempSync(join(tmpdir(), 'muster-facts-'))
  const at = migrations.findIndex((migration) => migration.name === agentFacts.name)
  await migrate(database, { migrations: migrations.slice(0, at), dataFolder })
  await sql`insert into clients (name, created_at) values ('Acme', '')`.execute(db)
  await sql`insert into sites (client_id, name, created_at) select id, 'Bern', '' from clients`.execute(db)
  for (const [id, facts] of [
    ['known', '{"time_zone":"Europe/Zurich"}'],
    ['new', null],
  ] as const) {
    await sql`insert into agents
      (agent_id, site_id, public_key, machine_key, monitoring_type, hostname, plat, arch, facts, created_at, modified)
      select ${id}, id, '', ${id}, 'server', ${id}, 'linux', 'amd64', ${facts}, '', '' from sites`.execute(db)
  }
  await migrate(database, { migrations, dataFolder })
  rmSync(dataFolder, { recursive: true })
  const rows = await db
    .selectFrom('agents')
    .leftJoin('agent_facts', 'agent_facts.agent', 'agents.id')
    .select(['agent_id', 'facts'])
    .orderBy('agents.id')
    .execute()
  expect(rows).toEqual([
    { agent_id: 'known', facts: '{"time_zone":"Europe/Zurich"}' },
    { agent_id: 'new', facts: null },
  ])
  await db.deleteFrom('agents').execute()
  expect(await db.selectFrom('agent_facts').selectAll().execute()).toEqual([])
})
