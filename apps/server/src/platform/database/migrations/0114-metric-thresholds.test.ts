import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Database } from '../database.ts'
import { migrate } from '../migrate.ts'
import { testEngines } from '../test-engines.ts'
import { metricThresholds } from './0114-metric-thresholds.ts'
import { migrations } from './index.ts'

test.each(testEngines)('$engine: thresholds of metrics that were off stay off', async ({ open }) => {
  await using database = await open<Database>()
  const { db } = database
  const dataFolder = mkdtempSync(join(tmpdir(), 'muster-metrics-'))
  const at = migrations.findIndex(({ name }) => name === metricThresholds.name)
  await migrate(database, { migrations: migrations.slice(0, at), dataFolder })
  const scriptOf = (...pairs: [warning: number | null, error: number | null][]) => ({
    check_type: 'script',
    script: 7,
    metric_thresholds: pairs.map(([warning_threshold, error_threshold]) => ({
      name: 'queue',
      warning_threshold,
      error_threshold,
      reverse: false,
    })),
  })
  const cpu = { check_type: 'cpuload', warning_threshold: 0, error_threshold: 90 }
  const contentOf = (script: unknown) =>
    JSON.stringify({
      checks: [
        { id: 1, settings: cpu },
        { id: 2, settings: script },
      ],
    })
  const before = scriptOf([0, 100], [5, 0], [-15, 3], [1, 2])
  const after = scriptOf([null, 100], [5, null], [null, 3], [1, 2])
  await sql`insert into policies (name, description, active, enforced, content, last_number, version, created_by, created_at,
    modified, modified_by) values ('P', '', 1, 0, ${contentOf(before)}, 2, 1, '', '', '', '')`.execute(db)
  await sql`insert into policy_versions (policy_id, version, at, by_user, reason, document)
    select id, 1, '', '', '', ${`{"content":${contentOf(before)}}`} from policies`.execute(db)
  await migrate(database, { migrations, dataFolder })
  rmSync(dataFolder, { recursive: true })
  const { content } = await db.selectFrom('policies').select('content').executeTakeFirstOrThrow()
  expect(content).toBe(contentOf(after))
  const { document } = await db.selectFrom('policy_versions').select('document').executeTakeFirstOrThrow()
  expect(document).toBe(`{"content":${contentOf(after)}}`)
})
