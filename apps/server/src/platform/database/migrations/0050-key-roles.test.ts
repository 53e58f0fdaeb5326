import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Database } from '../database.ts'
import { migrate } from '../migrate.ts'
import { testEngines } from '../test-engines.ts'
import { keyRoles } from './0050-and-later.ts'
import { migrations } from './index.ts'

test.each(testEngines)(
  '$engine: stored keys stay open to all roles, and their users keep their author',
  async ({ open }) => {
    await using database = await open<Database>()
    const { db } = database
    const dataFolder = mkdtempSync(join(tmpdir(), 'muster-keys-'))
    const at = migrations.findIndex((migration) => migration.name === keyRoles.name)
    await migrate(database, { migrations: migrations.slice(0, at), dataFolder })
    await sql`insert into users (username, password_hash, is_superuser, created_at) values ('ada', '', 0, '')`.execute(
      db,
    )
    await sql`insert into key_store (name, value, created_at, modified) values ('API', 'x', '', '')`.execute(
      db,
    )
    await sql`insert into clients (name, created_at) values ('Acme', '')`.execute(db)
    await sql`insert into sites (client_id, name, created_at) select id, 'Bern', '' from clients`.execute(db)
    await sql`insert into agents
      (agent_id, site_id, public_key, machine_key, monitoring_type, hostname, plat, arch, created_at, modified)
      select 'a', id, '', 'a', 'server', 'a', 'linux', 'amd64', '', '' from sites`.execute(db)
    for (const author of ['ada', 'gone'])
      await sql`insert into checks (agent_id, check_type, settings, fails_b4_alert, run_interval, revision,
          created_at, modified, modified_by)
        values ('a', 'script', '{"script_args":["{{global.API}}"]}', 1, 0, '', '', '', ${author})`.execute(db)
    await migrate(database, { migrations, dataFolder })
    rmSync(dataFolder, { recursive: true })
    const ada = await db.selectFrom('users').select('id').executeTakeFirstOrThrow()
    const checks = await db.selectFrom('checks').select('author_id').orderBy('id').execute()
    expect(checks).toEqual([{ author_id: ada.id }, { author_id: null }])
    const keys = await db.selectFrom('key_store').select(['name', 'all_roles']).execute()
    expect(keys).toEqual([{ name: 'API', all_roles: 1 }])
  },
)
