import { type Kysely, sql } from 'kysely'
import { flagColumn, idColumn, instantColumn } from '../columns.ts'
import type { Migration } from '../migrate.ts'

/** Keys of the store name the roles that may use them, and records that run scripts later name their author. */
export const keyRoles: Migration = {
  name: '0050-key-roles',
  changesData: true,
  async up(db) {
    // Existing uses of keys keep working.
    await db.schema
      .alterTable('key_store')
      .addColumn('all_roles', ...flagColumn(1))
      .execute()
    await db.schema
      .createTable('key_store_roles')
      .addColumn('key_id', 'integer', (col) => col.notNull().references('key_store.id').onDelete('cascade'))
      .addColumn('role_id', 'integer', (col) => col.notNull().references('roles.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('key_store_roles_pk', ['key_id', 'role_id'])
      .execute()
    for (const table of ['checks', 'tasks', 'policies', 'alert_templates'])
      await db.schema.alterTable(table).addColumn('author_id', 'integer').execute()
    await sql`update checks set author_id = (select id from users where username = modified_by)
      where policy_id is null and check_type = 'script' and settings like '%{{%'`.execute(db)
    await sql`update tasks set author_id = (select id from users where username = modified_by)
      where policy_id is null and actions like '%{{%'`.execute(db)
    await sql`update policies set author_id = (select id from users where username = modified_by)`.execute(db)
  },
}

/** Script versions that may run on the server. Scripts that alert templates already run there count as approved. */
export const serverScriptApprovals: Migration = {
  name: '0053-server-script-approvals',
  changesData: true,
  async up(db) {
    await db.schema
      .createTable('server_script_approvals')
      .addColumn('script_id', 'integer', (col) =>
        col.primaryKey().references('scripts.id').onDelete('cascade'),
      )
      .addColumn('shell', 'text', (col) => col.notNull())
      .addColumn('code', 'text', (col) => col.notNull())
      .addColumn('approved_by', 'text', (col) => col.notNull())
      .addColumn('approved_at', ...instantColumn())
      .execute()
    const templates = await sql<{ settings: string }>`select settings from alert_templates`.execute(db)
    const ids = new Set<number>()
    for (const { settings } of templates.rows) {
      // Written by the alert templates of that version.
      const stored = JSON.parse(settings) as Record<string, unknown>
      for (const kind of ['action', 'resolved_action']) {
        const id = stored[kind]
        if (stored[`${kind}_type`] === 'server' && typeof id === 'number') ids.add(id)
      }
    }
    if (ids.size === 0) return
    const snippets = await sql<{
      name: string
      code: string
    }>`select name, code from script_snippets`.execute(db)
    const codes = new Map(snippets.rows.map((snippet) => [snippet.name, snippet.code]))
    const at = new Date().toISOString()
    for (const id of ids) {
      const { rows } = await sql<{ shell: string; body: string }>`
        select shell, script_body as body from scripts where id = ${id}`.execute(db)
      for (const { shell, body } of rows) {
        const code = body.replaceAll(
          /\{\{([^{}\n]{1,100})\}\}/g,
          (written, snippet: string) => codes.get(snippet.trim()) ?? written,
        )
        await sql`insert into server_script_approvals (script_id, shell, code, approved_by, approved_at)
          values (${id}, ${shell}, ${code}, '', ${at})`.execute(db)
      }
    }
  },
}

/** Numbers the patches of each machine, so that a decision can be stored for each one. */
export const patchActions: Migration = {
  name: '0054-patch-actions',
  changesData: true,
  async up(db) {
    await db.schema
      .alterTable('machine_patches')
      .addColumn('last_number', 'integer', (col) => col.notNull().defaultTo(0))
      .execute()
    const { rows } = await sql<{ agent: number; patches: string }>`
      select agent, patches from machine_patches`.execute(db)
    for (const { agent, patches } of rows) {
      // Written by the patches of that version.
      const numbered = (JSON.parse(patches) as object[]).map((patch, index) => {
        return { ...patch, number: index + 1, action: 'inherit' }
      })
      await sql`update machine_patches
        set patches = ${JSON.stringify(numbered)}, last_number = ${numbered.length}
        where agent = ${agent}`.execute(db)
    }
  },
}

/** Output of runs that each machine stored on the last day with output. */
export const outputOfADay: Migration = {
  name: '0056-output-of-a-day',
  changesData: false,
  async up(db) {
    await db.schema
      .createTable('output_days')
      .addColumn('agent_id', 'text', (col) =>
        col.primaryKey().references('agents.agent_id').onDelete('cascade'),
      )
      .addColumn('day', 'text', (col) => col.notNull())
      .addColumn('bytes', 'bigint', (col) => col.notNull())
      .execute()
  },
}

interface Tables {
  agents: { id: number; setting_sources: string; overdue_dashboard_alert: number }
  settings: { name: string; value: string }
}

/**
 * Machines whose overdue alert was turned on keep it as their own setting. An existing server stays silent until a
 * superuser decides; a new one alerts for servers.
 */
export const availabilityAlerts: Migration = {
  name: '0062-availability-alerts',
  changesData: true,
  async up(untyped) {
    // The schema of that version.
    const db = untyped as Kysely<Tables>
    const isInUse = (await db.selectFrom('agents').select('id').limit(1).executeTakeFirst()) !== undefined
    if (!isInUse) return
    const alerting = await db
      .selectFrom('agents')
      .select(['id', 'setting_sources'])
      .where('overdue_dashboard_alert', '=', 1)
      .execute()
    for (const { id, setting_sources } of alerting) {
      // Written by the server of that version.
      const sources = JSON.parse(setting_sources) as Record<string, unknown>
      const value = JSON.stringify({ ...sources, overdue_dashboard_alert: { own: 1 } })
      await db.updateTable('agents').set({ setting_sources: value }).where('id', '=', id).execute()
    }
    const stored = await db
      .selectFrom('settings')
      .select('value')
      .where('name', '=', 'core_settings')
      .executeTakeFirst()
    // Written by the server of that version.
    const settings = JSON.parse(stored?.value ?? '{}') as Record<string, unknown>
    const value = JSON.stringify({
      ...settings,
      availability_alerts_servers: false,
      availability_alerts_asked: false,
    })
    await db
      .insertInto('settings')
      .values({ name: 'core_settings', value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute()
  },
}

/** The last run of a check as a number, so that the database can find old results. */
export const resultTimes: Migration = {
  name: '0063-result-times',
  changesData: true,
  async up(db, engine) {
    await db.schema
      .alterTable('check_results')
      .addColumn('ran_at', 'bigint', (col) => col.notNull().defaultTo(0))
      .execute()
    const seconds =
      engine === 'sqlite'
        ? sql`cast(strftime('%s', last_run) as integer)`
        : sql`floor(extract(epoch from cast(last_run as timestamptz)))`
    await sql`update check_results set ran_at = ${seconds}`.execute(db)
  },
}

/**
 * Ended runs are found by their end. An existing database keeps its runs and audit entries forever until someone sets a
 * limit; a new one starts with the default limits.
 */
export const retention: Migration = {
  name: '0065-retention',
  changesData: true,
  async up(db) {
    await db.schema.createIndex('agent_history_finished').on('agent_history').column('finished_at').execute()
    const used = await sql`select 1 from audit_log union all select 1 from agent_history limit 1`.execute(db)
    if (used.rows.length === 0) return
    const { rows } = await sql<{
      value: string
    }>`select value from settings where name = 'core_settings'`.execute(db)
    // Written by the settings of that time.
    const stored = JSON.parse(rows[0]?.value ?? '{}') as Record<string, unknown>
    const value = JSON.stringify({ ...stored, agent_history_prune_days: 0, audit_log_prune_days: 0 })
    await sql`insert into settings (name, value) values ('core_settings', ${value})
      on conflict (name) do update set value = excluded.value`.execute(db)
  },
}

/** The company of the first-time setup becomes a core setting. Its time zone was never used and is deleted. */
export const companyName: Migration = {
  name: '0066-company-name',
  changesData: true,
  async up(db) {
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
  },
}

/** Deployments, and what an installer changes on a machine besides the agent. */
export const deployments: Migration = {
  name: '0075-deployments',
  changesData: false,
  async up(db, engine) {
    await db.schema
      .alterTable('enrol_tokens')
      .addColumn('flags', 'text', (col) => col.notNull().defaultTo('{}'))
      .execute()
    await db.schema
      .createTable('deployments')
      .addColumn('id', ...idColumn(engine))
      .addColumn('token_id', 'integer', (col) =>
        col.notNull().references('enrol_tokens.id').onDelete('cascade'),
      )
      .addColumn('uid_digest', 'text', (col) => col.notNull().unique())
      .addColumn('uid', 'text', (col) => col.notNull())
      .addColumn('token', 'text', (col) => col.notNull())
      .addColumn('goarch', 'text', (col) => col.notNull())
      .addColumn('created_at', ...instantColumn())
      .execute()
  },
}

/** Updates of agents: what each machine reports, the waves of each version, and who is paused or pinned. */
export const agentUpdates: Migration = {
  name: '0076-agent-updates',
  changesData: false,
  async up(db) {
    await db.schema
      .alterTable('agents')
      .addColumn('can_update', 'integer', (col) => col.notNull().defaultTo(0))
      .execute()
    await db.schema
      .createTable('agent_updates')
      .addColumn('agent_id', 'text', (col) =>
        col.primaryKey().references('agents.agent_id').onDelete('cascade'),
      )
      .addColumn('version', 'text', (col) => col.notNull())
      .addColumn('state', 'text', (col) => col.notNull())
      .addColumn('reason', 'text')
      .addColumn('username', 'text')
      .addColumn('changed_at', 'text', (col) => col.notNull())
      .execute()
    await db.schema
      .createIndex('agent_updates_state')
      .on('agent_updates')
      .columns(['state', 'changed_at'])
      .execute()
    await db.schema
      .createTable('update_rollouts')
      .addColumn('version', 'text', (col) => col.primaryKey())
      .addColumn('state', 'text', (col) => col.notNull())
      .addColumn('wave', 'integer', (col) => col.notNull())
      .addColumn('reason', 'text')
      .addColumn('forgiven', 'integer', (col) => col.notNull())
      .addColumn('changed_at', 'text', (col) => col.notNull())
      .execute()
    await db.schema
      .createTable('update_settings')
      .addColumn('place', 'text', (col) => col.primaryKey())
      .addColumn('client_id', 'integer', (col) => col.references('clients.id').onDelete('cascade'))
      .addColumn('site_id', 'integer', (col) => col.references('sites.id').onDelete('cascade'))
      .addColumn('agent_id', 'text', (col) => col.references('agents.agent_id').onDelete('cascade'))
      .addColumn('settings', 'text', (col) => col.notNull())
      .execute()
    for (const column of ['client_id', 'site_id', 'agent_id'])
      await db.schema
        .createIndex(`update_settings_${column}`)
        .on('update_settings')
        .columns([column])
        .execute()
  },
}

/** Planned restarts that the machine itself has, with a warning to the user. */
export const powerPlans: Migration = {
  name: '0079-power-plans',
  changesData: false,
  async up(db) {
    for (const column of ['plan', 'warning', 'sent_at'])
      await db.schema.alterTable('pending_actions').addColumn(column, 'text').execute()
    await db.schema.createIndex('pending_actions_plan').on('pending_actions').column('plan').execute()
  },
}

/** Patches of the whole fleet. Each machine's next scan fills the index, since its list counts as changed. */
export const patchVersions: Migration = {
  name: '0081-patch-versions',
  changesData: true,
  async up(db, engine) {
    await db.schema
      .createTable('patch_versions')
      .addColumn('id', ...idColumn(engine))
      .addColumn('digest', 'text', (col) => col.notNull().unique())
      .addColumn('guid', 'text', (col) => col.notNull())
      .addColumn('source', 'text', (col) => col.notNull())
      .addColumn('title', 'text', (col) => col.notNull())
      .addColumn('kb', 'text', (col) => col.notNull())
      .addColumn('version', 'text', (col) => col.notNull())
      .addColumn('severity', 'text', (col) => col.notNull())
      .addColumn('security', ...flagColumn())
      .addColumn('needs_reboot', ...flagColumn())
      .addColumn('search_text', 'text', (col) => col.notNull())
      .addColumn('severity_rank', 'integer', (col) => col.notNull())
      .addColumn('first_seen', ...instantColumn())
      .execute()
    await db.schema
      .createTable('machine_patch_versions')
      .addColumn('agent', 'integer', (col) => col.notNull().references('agents.id').onDelete('cascade'))
      .addColumn('patch', 'integer', (col) =>
        col.notNull().references('patch_versions.id').onDelete('cascade'),
      )
      .addColumn('action', 'text', (col) => col.notNull())
      .addColumn('current_version', 'text', (col) => col.notNull())
      .addPrimaryKeyConstraint('machine_patch_versions_pk', ['agent', 'patch'])
      .execute()
    await db.schema
      .createIndex('machine_patch_versions_patch')
      .on('machine_patch_versions')
      .column('patch')
      .execute()
    await db.schema
      .createTable('patch_days')
      .addColumn('day', 'text', (col) => col.notNull())
      .addColumn('client_id', 'integer', (col) => col.notNull().references('clients.id').onDelete('cascade'))
      .addColumn('scanned', 'integer', (col) => col.notNull())
      .addColumn('up_to_date', 'integer', (col) => col.notNull())
      .addPrimaryKeyConstraint('patch_days_pk', ['day', 'client_id'])
      .execute()
    await sql`update machine_patches set hash = ''`.execute(db)
  },
}

/** Whether agents can run scripts of checks and tasks as the signed-in user: unknown until they connect again. */
export const runsAsUser: Migration = {
  name: '0084-runs-as-user',
  changesData: false,
  async up(db) {
    await db.schema.alterTable('agents').addColumn('runs_as_user', 'integer').execute()
  },
}
