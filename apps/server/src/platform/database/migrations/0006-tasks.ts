import { type Kysely, sql } from 'kysely'
import { type Engine, flagColumn, idColumn, instantColumn, jsonColumn } from '../columns.ts'

export const name = '0006-tasks'
export const changesData = false

export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  // The version that a machine should have, and the version that it last reported.
  for (const column of ['tasks_version', 'tasks_known']) {
    await db.schema
      .alterTable('agents')
      .addColumn(column, 'integer', (col) => col.notNull().defaultTo(0))
      .execute()
  }
  await db.schema
    .createTable('tasks')
    .addColumn('id', ...idColumn(engine))
    .addColumn('agent_id', 'text', (col) => col.notNull().references('agents.agent_id').onDelete('cascade'))
    .addColumn('name', 'text', (col) => col.notNull())
    .addColumn('enabled', ...flagColumn(1))
    .addColumn('task_type', 'text', (col) => col.notNull())
    .addColumn('settings', ...jsonColumn('{}'))
    .addColumn('actions', ...jsonColumn('[]'))
    .addColumn('alert_severity', 'text', (col) => col.notNull())
    .addColumn('assigned_check', 'integer', (col) => col.references('checks.id').onDelete('set null'))
    .addColumn('counts_from', ...instantColumn())
    .addColumn('revision', 'text', (col) => col.notNull())
    .addColumn('version', 'integer', (col) => col.notNull())
    .addColumn('created_at', ...instantColumn())
    .addColumn('modified', ...instantColumn())
    .addColumn('modified_by', 'text', (col) => col.notNull())
    .execute()
  await db.schema.createIndex('tasks_agent').on('tasks').column('agent_id').execute()
  await db.schema.createIndex('tasks_check').on('tasks').column('assigned_check').execute()
  await db.schema
    .createTable('task_scripts')
    .addColumn('task_id', 'integer', (col) => col.notNull().references('tasks.id').onDelete('cascade'))
    .addColumn('script_id', 'integer', (col) => col.notNull().references('scripts.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('task_scripts_key', ['script_id', 'task_id'])
    .execute()
  await db.schema.createIndex('task_scripts_task').on('task_scripts').column('task_id').execute()
  await createResults(db, engine)
}

async function createResults(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('task_results')
    .addColumn('task_id', 'integer', (col) => col.primaryKey().references('tasks.id').onDelete('cascade'))
    .addColumn('status', 'text', (col) => col.notNull())
    .addColumn('run_status', 'text', (col) => col.notNull())
    .addColumn('retcode', 'bigint')
    .addColumn('stdout', 'text', (col) => col.notNull())
    .addColumn('stderr', 'text', (col) => col.notNull())
    .addColumn('execution_time', 'double precision')
    .addColumn('last_run', 'text')
    .addColumn('more_info', 'text', (col) => col.notNull())
    .execute()
  await db.schema
    .createIndex('task_results_failing')
    .on('task_results')
    .column('status')
    .where(sql<boolean>`status = 'failing'`)
    .execute()
  await db.schema
    .createTable('task_runs')
    .addColumn('id', ...idColumn(engine))
    .addColumn('task_id', 'integer', (col) => col.notNull().references('tasks.id').onDelete('cascade'))
    .addColumn('run_id', 'text', (col) => col.notNull())
    .addColumn('state', 'text', (col) => col.notNull())
    .addColumn('trigger', 'text', (col) => col.notNull())
    .addColumn('status', 'text')
    .addColumn('planned_at', 'text')
    .addColumn('started_at', ...instantColumn())
    .addColumn('ended_at', 'text')
    .addColumn('retcode', 'bigint')
    .addColumn('execution_time', 'double precision')
    .addColumn('more_info', 'text', (col) => col.notNull())
    .addColumn('missed', 'integer', (col) => col.notNull())
    .addColumn('actions', ...jsonColumn('[]'))
    .addUniqueConstraint('task_runs_once', ['task_id', 'run_id'])
    .execute()
}
