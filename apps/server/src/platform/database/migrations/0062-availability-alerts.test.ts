import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { readCoreSettings } from '../../config/core-settings.ts'
import type { Database } from '../database.ts'
import { migrate } from '../migrate.ts'
import { testEngines } from '../test-engines.ts'
import { availabilityAlerts } from './0050-and-later.ts'
import { migrations } from './index.ts'

test.each(testEngines)(
  '$engine: an existing server is unchanged until a superuser decides, a new one alerts for servers',
  async ({ open }) => {
    for (const isInUse of [true, false]) {
      await using database = await open<Database>()
      const { db } = database
      const dataFolder = mkdtempSync(join(tmpdir(), 'muster-availability-'))
      const at = migrations.findIndex((migration) => migration.name === availabilityAlerts.name)
      await migrate(database, { migrations: migrations.slice(0, at), dataFolder })
      await sql`insert into settings (name, value) values ('core_settings', '{"metrics_interval":30}')`.execute(
        db,
      )
      await sql`insert into clients (name, created_at) values ('Acme', '')`.execute(db)
      await sql`insert into sites (client_id, name, created_at) select id, 'Bern', '' from clients`.execute(
        db,
      )
      for (const [id, flag] of isInUse
        ? ([
            ['loud', 1],
            ['silent', 0],
          ] as const)
        : []) {
        await sql`insert into agents
          (agent_id, site_id, public_key, machine_key, monitoring_type, hostname, plat, arch, created_at, modified,
            overdue_dashboard_alert, setting_sources)
          select ${id}, id, '', ${id}, 'server', ${id}, 'linux', 'amd64', '', '', ${flag},
            '{"offline_time":{"own":5}}' from sites`.execute(db)
      }
      await migrate(database, { migrations, dataFolder })
      rmSync(dataFolder, { recursive: true })
      expect(await readCoreSettings(db)).toMatchObject({
        metrics_interval: 30,
        availability_alerts_servers: !isInUse,
        availability_alerts_workstations: false,
        availability_alerts_asked: !isInUse,
      })
      const rows = await db
        .selectFrom('agents')
        .select(['agent_id', 'overdue_dashboard_alert', 'setting_sources'])
        .orderBy('id')
        .execute()
      expect(rows.map((row) => ({ ...row, setting_sources: JSON.parse(row.setting_sources) }))).toEqual(
        isInUse
          ? [
              {
                agent_id: 'loud',
                overdue_dashboard_alert: 1,
                setting_sources: { offline_time: { own: 5 }, overdue_dashboard_alert: { own: 1 } },
              },
              {
                agent_id: 'silent',
                overdue_dashboard_alert: 0,
                setting_sources: { offline_time: { own: 5 } },
              },
            ]
          : [],
      )
    }
  },
)
