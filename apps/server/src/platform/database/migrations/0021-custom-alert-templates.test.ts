import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Database } from '../database.ts'
import { testEngines } from '../test-engines.ts'
import { migrate } from '../migrate.ts'
import { customAlertTemplates } from './0010-to-0024.ts'
import { migrations } from './index.ts'

describe.each(testEngines)('on $engine', ({ open }) => {
  test('existing templates keep ignoring alerts of the API', async () => {
    await using database = await open<Database>()
    const { db } = database
    const dataFolder = await mkdtemp(join(tmpdir(), 'muster-migration-'))
    const earlier = migrations.filter((migration) => migration.name < customAlertTemplates.name)
    await migrate(database, { migrations: earlier, dataFolder })
    const at = '2026-11-22T07:00:00.000Z'
    const before = { check_script_actions: true, check_periodic_alert_minutes: 30 }
    await db
      .insertInto('alert_templates')
      .values({
        name: 'Night',
        is_active: 1,
        settings: JSON.stringify(before),
        exclusions: '{}',
        created_at: at,
        modified: at,
      })
      .execute()
    await migrate(database, { migrations, dataFolder })
    await rm(dataFolder, { recursive: true, force: true })
    const { settings } = await db.selectFrom('alert_templates').select('settings').executeTakeFirstOrThrow()
    expect(JSON.parse(settings)).toMatchObject({
      ...before,
      custom_script_actions: false,
      custom_always_email: null,
      custom_dashboard_alert_severity: [],
    })
  })
})
