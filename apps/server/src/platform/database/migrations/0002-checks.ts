import { type Kysely, sql } from 'kysely'
import { bytesColumn, type Engine, idColumn, instantColumn, jsonColumn } from '../columns.ts'

export const name = '0002-checks'
export const changesData = false

export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .alterTable('agents')
    .addColumn('checks_version', 'integer', (col) => col.notNull().defaultTo(0))
    .execute()
  await createChecks(db, engine)
  await createSamples(db, engine)
}

async function createChecks(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('checks')
    .addColumn('id', ...idColumn(engine))
    .addColumn('agent_id', 'text', (col) => col.notNull().references('agents.agent_id').onDelete('cascade'))
    .addColumn('check_type', 'text', (col) => col.notNull())
    .addColumn('settings', ...jsonColumn('{}'))
    .addColumn('only_key', 'text')
    .addColumn('script_id', 'integer', (col) => col.references('scripts.id').onDelete('set null'))
    .addColumn('fails_b4_alert', 'integer', (col) => col.notNull())
    .addColumn('run_interval', 'integer', (col) => col.notNull())
    .addColumn('revision', 'text', (col) => col.notNull())
    .addColumn('created_at', ...instantColumn())
    .addColumn('modified', ...instantColumn())
    .addColumn('modified_by', 'text', (col) => col.notNull())
    // NULL keys are distinct on both engines.
    .addUniqueConstraint('checks_only', ['agent_id', 'only_key'])
    .execute()
  await db.schema.createIndex('checks_agent').on('checks').column('agent_id').execute()
  await db.schema.createIndex('checks_script').on('checks').column('script_id').execute()
  await db.schema
    .createTable('check_results')
    .addColumn('check_id', 'integer', (col) => col.primaryKey().references('checks.id').onDelete('cascade'))
    .addColumn('status', 'text', (col) => col.notNull())
    .addColumn('alert_severity', 'text')
    .addColumn('more_info', 'text', (col) => col.notNull())
    .addColumn('last_run', ...instantColumn())
    .addColumn('fail_count', 'integer', (col) => col.notNull())
    .addColumn('failing_since', 'text')
    .addColumn('measured', 'text', (col) => col.notNull())
    .execute()
  await db.schema
    .createIndex('check_results_failing')
    .on('check_results')
    .column('alert_severity')
    .where(sql<boolean>`alert_severity is not null`)
    .execute()
  await db.schema
    .createTable('check_transitions')
    .addColumn('id', ...idColumn(engine))
    .addColumn('check_id', 'integer', (col) => col.notNull().references('checks.id').onDelete('cascade'))
    .addColumn('agent_id', 'text', (col) => col.notNull())
    .addColumn('at', 'bigint', (col) => col.notNull())
    .addColumn('severity', 'text')
    .execute()
  await db.schema
    .createIndex('check_transitions_check')
    .on('check_transitions')
    .columns(['check_id', 'at'])
    .execute()
}

async function createSamples(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('series')
    .addColumn('id', ...idColumn(engine))
    .addColumn('agent_id', 'text', (col) => col.notNull())
    .addColumn('check_id', 'integer', (col) => col.notNull().references('checks.id').onDelete('cascade'))
    .addColumn('name', 'text', (col) => col.notNull())
    .addColumn('unit', 'text', (col) => col.notNull())
    .addUniqueConstraint('series_check_name', ['check_id', 'name'])
    .execute()
  await db.schema
    .createTable('sample_batches')
    .addColumn('id', ...idColumn(engine))
    // The numeric id: the agent_id would be longer than the samples.
    .addColumn('agent', 'integer', (col) => col.notNull().references('agents.id').onDelete('cascade'))
    .addColumn('stored_at', 'bigint', (col) => col.notNull())
    .addColumn('samples', ...bytesColumn(engine), (col) => col.notNull())
    .execute()
  await db.schema.createIndex('sample_batches_agent').on('sample_batches').column('agent').execute()
  await db.schema
    .createTable('sample_chunks')
    .addColumn('series_id', 'integer', (col) => col.notNull().references('series.id').onDelete('cascade'))
    .addColumn('resolution', 'integer', (col) => col.notNull())
    .addColumn('start', 'bigint', (col) => col.notNull())
    .addColumn('points', ...bytesColumn(engine), (col) => col.notNull())
    .addPrimaryKeyConstraint('sample_chunks_key', ['series_id', 'resolution', 'start'])
    .execute()
}
