import { type Kysely, sql } from 'kysely'
import { type Engine, flagColumn, idColumn, instantColumn, jsonColumn } from '../columns.ts'

export const name = '0008-policies'
export const changesData = true

export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await createPolicies(db, engine)
  for (const column of ['policy_id', 'policy_check', 'overridden_by']) {
    await db.schema.alterTable('checks').addColumn(column, 'integer').execute()
  }
  await db.schema
    .createIndex('checks_policy')
    .unique()
    .on('checks')
    .columns(['policy_id', 'policy_check', 'agent_id'])
    .where(sql<boolean>`policy_id is not null`)
    .execute()
  await db.schema
    .alterTable('agents')
    .addColumn('setting_sources', ...jsonColumn('{}'))
    .execute()
  await keepOwnSettings(db)
}

/** Values that differ from the defaults were set by a user. */
async function keepOwnSettings(db: Kysely<unknown>): Promise<void> {
  for (const [column, usual] of Object.entries({ check_interval: 120, offline_time: 4, overdue_time: 30 })) {
    const value = sql.ref(column)
    await sql`
      update agents set setting_sources =
        case setting_sources
          when '{}' then '{'
          else substr(setting_sources, 1, length(setting_sources) - 1) || ','
        end || cast(${`"${column}":{"own":`} as text) || cast(${value} as text) || '}}'
      where ${value} <> ${usual}`.execute(db)
  }
}

async function createPolicies(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('policies')
    .addColumn('id', ...idColumn(engine))
    .addColumn('name', 'text', (col) => col.notNull().unique())
    .addColumn('description', 'text', (col) => col.notNull())
    .addColumn('active', ...flagColumn())
    .addColumn('enforced', ...flagColumn())
    .addColumn('content', ...jsonColumn('{}'))
    .addColumn('last_check', 'integer', (col) => col.notNull())
    .addColumn('version', 'integer', (col) => col.notNull())
    .addColumn('created_by', 'text', (col) => col.notNull())
    .addColumn('created_at', ...instantColumn())
    .addColumn('modified', ...instantColumn())
    .addColumn('modified_by', 'text', (col) => col.notNull())
    .execute()
  await db.schema
    .createTable('policy_targets')
    .addColumn('id', ...idColumn(engine))
    .addColumn('policy_id', 'integer', (col) => col.notNull().references('policies.id').onDelete('cascade'))
    .addColumn('level', 'text', (col) => col.notNull())
    .addColumn('client_id', 'integer', (col) => col.references('clients.id').onDelete('cascade'))
    .addColumn('site_id', 'integer', (col) => col.references('sites.id').onDelete('cascade'))
    .addColumn('agent_id', 'text', (col) => col.references('agents.agent_id').onDelete('cascade'))
    .addColumn('search', 'text')
    .addColumn('monitoring_type', 'text')
    .addColumn('position', 'integer', (col) => col.notNull())
    .execute()
  await db.schema
    .createTable('policy_exclusions')
    .addColumn('id', ...idColumn(engine))
    .addColumn('policy_id', 'integer', (col) => col.notNull().references('policies.id').onDelete('cascade'))
    .addColumn('client_id', 'integer', (col) => col.references('clients.id').onDelete('cascade'))
    .addColumn('site_id', 'integer', (col) => col.references('sites.id').onDelete('cascade'))
    .addColumn('agent_id', 'text', (col) => col.references('agents.agent_id').onDelete('cascade'))
    .execute()
  for (const table of ['policy_targets', 'policy_exclusions']) {
    // Used when a client, a site or a machine is deleted.
    for (const column of ['policy_id', 'client_id', 'site_id', 'agent_id']) {
      await db.schema.createIndex(`${table}_${column}`).on(table).column(column).execute()
    }
  }
  await db.schema
    .createTable('policy_versions')
    .addColumn('id', ...idColumn(engine))
    .addColumn('policy_id', 'integer', (col) => col.notNull().references('policies.id').onDelete('cascade'))
    .addColumn('version', 'integer', (col) => col.notNull())
    .addColumn('at', ...instantColumn())
    .addColumn('by_user', 'text', (col) => col.notNull())
    .addColumn('reason', 'text', (col) => col.notNull())
    .addColumn('document', ...jsonColumn('{}'))
    .addUniqueConstraint('policy_versions_version', ['policy_id', 'version'])
    .execute()
}
