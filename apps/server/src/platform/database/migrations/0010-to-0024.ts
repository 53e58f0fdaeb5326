import { type Kysely, sql } from 'kysely'
import { flagColumn, idColumn, jsonColumn } from '../columns.ts'
import type { Migration } from '../migrate.ts'

/** A series may belong to a machine instead of a check. */
export const machineSeries: Migration = {
  name: '0010-machine-series',
  changesData: true,
  async up(db, engine) {
    if (engine === 'postgres') {
      await sql`alter table series alter column check_id drop not null`.execute(db)
      await sql`alter table series add constraint series_agent foreign key (agent_id)
        references agents (agent_id) on delete cascade`.execute(db)
    } else await replaceTable(db)
    await sql`create unique index series_machine_name on series (agent_id, name) where check_id is null`.execute(
      db,
    )
  },
}

async function replaceTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('series_next')
    .addColumn('id', ...idColumn('sqlite'))
    .addColumn('agent_id', 'text', (col) => col.notNull().references('agents.agent_id').onDelete('cascade'))
    .addColumn('check_id', 'integer', (col) => col.references('checks.id').onDelete('cascade'))
    .addColumn('name', 'text', (col) => col.notNull())
    .addColumn('unit', 'text', (col) => col.notNull())
    .addUniqueConstraint('series_check_name', ['check_id', 'name'])
    .execute()
  await sql`insert into series_next (id, agent_id, check_id, name, unit)
    select id, agent_id, check_id, name, unit from series where agent_id in (select agent_id from agents)`.execute(
    db,
  )
  await db.schema.dropTable('series').execute()
  await sql`alter table series_next rename to series`.execute(db)
}

export const policyTemplates: Migration = {
  name: '0011-policy-templates',
  changesData: false,
  async up(db) {
    for (const table of ['sites', 'agents']) {
      await db.schema
        .alterTable(table)
        .addColumn('policy_templates', ...jsonColumn('[]'))
        .execute()
    }
  },
}

/** Tasks can come from policies, like checks, and share their numbering. */
export const policyTasks: Migration = {
  name: '0013-policy-tasks',
  changesData: false,
  async up(db) {
    for (const column of ['policy_id', 'policy_task', 'overridden_by']) {
      await db.schema.alterTable('tasks').addColumn(column, 'integer').execute()
    }
    await db.schema
      .createIndex('tasks_policy')
      .unique()
      .on('tasks')
      .columns(['policy_id', 'policy_task', 'agent_id'])
      .where(sql<boolean>`policy_id is not null`)
      .execute()
    await db.schema.alterTable('policies').renameColumn('last_check', 'last_number').execute()
  },
}

/** Finds the few batches that are worth merging at once. Small ones cost nothing. */
export const largeBatches: Migration = {
  name: '0015-large-batches',
  changesData: false,
  async up(db) {
    await sql`create index sample_batches_large on sample_batches (agent) where length(samples) > 4000`.execute(
      db,
    )
  },
}

const DAY = 86_400
/** Seconds per partition, by resolution. samples/partitions.ts creates the later ones. */
const SPANS = { 0: DAY, 300: 7 * DAY, 3600: 30 * DAY }

/** On PostgreSQL, sample chunks are partitioned by time and old partitions are dropped. SQLite has no partitions. */
export const chunksByTime: Migration = {
  name: '0016-chunks-by-time',
  changesData: false,
  async up(db, engine) {
    if (engine === 'sqlite') return
    await sql`alter table sample_chunks rename to sample_chunks_before`.execute(db)
    await sql`alter table sample_chunks_before drop constraint sample_chunks_key`.execute(db)
    await sql`create table sample_chunks (
      series_id integer not null references series (id) on delete cascade,
      resolution integer not null,
      start bigint not null,
      points bytea not null,
      constraint sample_chunks_key primary key (series_id, resolution, start)
    ) partition by list (resolution)`.execute(db)
    for (const [resolution, span] of Object.entries(SPANS)) {
      const parent = sql.table(`sample_chunks_${resolution}`)
      await sql`create table ${parent} partition of sample_chunks
        for values in (${sql.lit(Number(resolution))}) partition by range (start)`.execute(db)
      const { rows } = await sql<{
        from: number
      }>`select distinct start / ${sql.lit(span)} * ${sql.lit(span)} as from
        from sample_chunks_before where resolution = ${sql.lit(Number(resolution))}`.execute(db)
      for (const { from } of rows) {
        await sql`create table ${sql.table(`sample_chunks_${resolution}_${from}`)} partition of ${parent}
          for values from (${sql.lit(from)}) to (${sql.lit(from + span)})`.execute(db)
      }
    }
    await sql`insert into sample_chunks (series_id, resolution, start, points)
      select series_id, resolution, start, points from sample_chunks_before`.execute(db)
    await sql`drop table sample_chunks_before`.execute(db)
  },
}

/** Periods of a machine that its graphs show: maintenance and dropped check results. */
export const machinePeriods: Migration = {
  name: '0017-machine-periods',
  changesData: false,
  async up(db, engine) {
    await db.schema
      .createTable('maintenance_periods')
      .addColumn('id', ...idColumn(engine))
      .addColumn('agent_id', 'text', (col) => col.notNull().references('agents.agent_id').onDelete('cascade'))
      .addColumn('started_at', 'bigint', (col) => col.notNull())
      .addColumn('ended_at', 'bigint')
      .addColumn('reason', 'text', (col) => col.notNull())
      .execute()
    await db.schema
      .createIndex('maintenance_periods_agent')
      .on('maintenance_periods')
      .columns(['agent_id', 'started_at'])
      .execute()
    await db.schema
      .createIndex('maintenance_periods_open')
      .unique()
      .on('maintenance_periods')
      .column('agent_id')
      .where(sql<boolean>`ended_at is null`)
      .execute()
    // The start of open maintenance is unknown.
    const now = sql.lit(Math.floor(Date.now() / 1000))
    await sql`insert into maintenance_periods (agent_id, started_at, reason)
      select agent_id, ${now}, '' from agents where maintenance_mode = 1`.execute(db)
    await db.schema
      .createTable('dropped_results')
      .addColumn('id', ...idColumn(engine))
      .addColumn('agent_id', 'text', (col) => col.notNull().references('agents.agent_id').onDelete('cascade'))
      .addColumn('from_at', 'bigint', (col) => col.notNull())
      .addColumn('to_at', 'bigint', (col) => col.notNull())
      .addColumn('count', 'integer', (col) => col.notNull())
      .addUniqueConstraint('dropped_results_once', ['agent_id', 'from_at', 'to_at', 'count'])
      .execute()
  },
}

/** A check may depend on another check, also on another machine. */
export const checkDependencies: Migration = {
  name: '0018-check-dependencies',
  changesData: false,
  async up(db) {
    await db.schema
      .alterTable('checks')
      .addColumn('depends_on', 'integer', (col) => col.references('checks.id').onDelete('set null'))
      .execute()
    // Alerts query every second which checks depend on a failing one.
    await db.schema
      .createIndex('checks_depends_on')
      .on('checks')
      .column('depends_on')
      .where(sql<boolean>`depends_on is not null`)
      .execute()
  },
}

/** The result of a task can be stored in a custom field. */
export const taskResults: Migration = {
  name: '0020-task-results',
  changesData: false,
  async up(db) {
    await db.schema
      .alterTable('tasks')
      .addColumn('custom_field', 'integer', (col) => col.references('custom_fields.id').onDelete('set null'))
      .execute()
    await db.schema
      .alterTable('tasks')
      .addColumn('collector_all_output', ...flagColumn(0))
      .execute()
    await db.schema.createIndex('tasks_custom_field').on('tasks').column('custom_field').execute()
  },
}

interface Tables {
  alert_templates: { id: number; settings: string }
}

/** Templates can cover alerts that come through the API. Existing templates keep ignoring them. */
export const customAlertTemplates: Migration = {
  name: '0021-custom-alert-templates',
  changesData: true,
  async up(db) {
    // `as`: the table at this migration.
    const tables = db as Kysely<Tables>
    for (const { id, settings } of await tables.selectFrom('alert_templates').selectAll().execute()) {
      const known = JSON.parse(settings) as object
      await tables
        .updateTable('alert_templates')
        .set({ settings: JSON.stringify({ ...known, ...NOTHING }) })
        .where('id', '=', id)
        .execute()
    }
  },
}

const NOTHING = {
  custom_always_email: null,
  custom_always_text: null,
  custom_always_alert: null,
  custom_email_on_resolved: null,
  custom_text_on_resolved: null,
  custom_email_alert_severity: [],
  custom_text_alert_severity: [],
  custom_dashboard_alert_severity: [],
  custom_periodic_alert_minutes: null,
  custom_script_actions: false,
}

/** Machine facts, some kilobytes each, move out of the rows that change with every link. */
export const agentFacts: Migration = {
  name: '0022-agent-facts',
  changesData: true,
  async up(db) {
    await db.schema
      .createTable('agent_facts')
      .addColumn('agent', 'integer', (col) => col.primaryKey().references('agents.id').onDelete('cascade'))
      .addColumn('facts', 'text', (col) => col.notNull())
      .execute()
    await sql`insert into agent_facts (agent, facts) select id, facts from agents where facts is not null`.execute(
      db,
    )
    await db.schema.alterTable('agents').dropColumn('facts').execute()
    // Lets the tree count the machines of each site, and those in maintenance, from the index alone.
    await db.schema.dropIndex('agents_site').execute()
    await db.schema.createIndex('agents_site').on('agents').columns(['site_id', 'maintenance_mode']).execute()
  },
}

/** Changed facts of a machine: a new system version, more memory. */
export const machineChanges: Migration = {
  name: '0024-machine-changes',
  changesData: false,
  async up(db, engine) {
    await db.schema
      .createTable('machine_changes')
      .addColumn('id', ...idColumn(engine))
      .addColumn('agent_id', 'text', (col) => col.notNull().references('agents.agent_id').onDelete('cascade'))
      .addColumn('at', 'bigint', (col) => col.notNull())
      .addColumn('text', 'text', (col) => col.notNull())
      .execute()
    await db.schema
      .createIndex('machine_changes_agent')
      .on('machine_changes')
      .columns(['agent_id', 'at'])
      .execute()
  },
}
