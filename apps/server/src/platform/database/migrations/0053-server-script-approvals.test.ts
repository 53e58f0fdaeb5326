import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Database } from '../database.ts'
import { migrate } from '../migrate.ts'
import { testEngines } from '../test-engines.ts'
import { serverScriptApprovals } from './0050-and-later.ts'
import { migrations } from './index.ts'

test.each(testEngines)(
  '$engine: scripts that templates already run on the server count as approved',
  async ({ open }) => {
    await using database = await open<Database>()
    const { db } = database
    const dataFolder = mkdtempSync(join(tmpdir(), 'muster-approvals-'))
    const at = migrations.findIndex((migration) => migration.name === serverScriptApprovals.name)
    await migrate(database, { migrations: migrations.slice(0, at), dataFolder })
    await sql`insert into script_snippets (name, code, shell, created_at, modified)
      values ('greet', 'echo hello', 'shell', '', '')`.execute(db)
    for (const script of ['On the server', 'On machines']) {
      await sql`insert into scripts (name, description, category, shell, script_type, args, env_vars, filename, syntax,
          script_body, script_hash, default_timeout, supported_platforms, favorite, hidden, run_as_user, created_at, modified)
        values (${script}, '', '', 'shell', 'userdefined', '[]', '[]', '', '',
          'x {{ greet }} {{other}}', '', 90, '[]', 0, 0, 0, '', '')`.execute(db)
    }
    const settings = { action_type: 'script', action: 2, resolved_action_type: 'server', resolved_action: 1 }
    await sql`insert into alert_templates (name, is_active, settings, exclusions, created_at, modified)
      values ('Night', 1, ${JSON.stringify(settings)}, '{}', '', '')`.execute(db)
    await migrate(database, { migrations, dataFolder })
    rmSync(dataFolder, { recursive: true })
    expect(await db.selectFrom('server_script_approvals').selectAll().execute()).toEqual([
      {
        script_id: 1,
        shell: 'shell',
        code: 'x echo hello {{other}}',
        approved_by: '',
        approved_at: expect.stringMatching(/Z$/),
      },
    ])
    await sql`delete from scripts`.execute(db)
    expect(await db.selectFrom('server_script_approvals').selectAll().execute()).toEqual([])
  },
)
