import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Database } from '../database.ts'
import { migrate } from '../migrate.ts'
import { testEngines } from '../test-engines.ts'
import { retention } from './0050-and-later.ts'
import { migrations } from './index.ts'

test.each(testEngines)(
  '$engine: a database in use keeps runs and audit entries forever after the update',
  async ({ open }) => {
    await using database = await open<Database>()
    const { db } = database
    const dataFolder = mkdtempSync(join(tmpdir(), 'muster-retention-'))
    const at = migrations.findIndex((migration) => migration.name === retention.name)
    await migrate(database, { migrations: migrations.slice(0, at), dataFolder })
    await sql`insert into settings (name, value) values ('core_settings', '{"metrics_interval":30}')`.execute(
      db,
    )
    await sql`insert into audit_log (entry_time, username, action, object_type, message, ip_address)
      values ('2020-01-01T00:00:00.000Z', 'ada', 'modify', 'client', 'Renamed', '')`.execute(db)
    await migrate(database, { migrations, dataFolder })
    rmSync(dataFolder, { recursive: true })
    const { value } = await db.selectFrom('settings').select('value').executeTakeFirstOrThrow()
    expect(JSON.parse(value)).toEqual({
      metrics_interval: 30,
      agent_history_prune_days: 0,
      audit_log_prune_days: 0,
    })
  },
)
