import { flagColumn, idColumn, instantColumn, jsonColumn } from '../columns.ts'
import type { Migration } from '../migrate.ts'

/** Jobs on many machines that repeat. */
export const repeatingJobs: Migration = {
  name: '0085-repeating-jobs',
  changesData: false,
  async up(db, engine) {
    await db.schema
      .createTable('repeating_jobs')
      .addColumn('id', ...idColumn(engine))
      .addColumn('name', 'text', (col) => col.notNull())
      .addColumn('user_id', 'integer', (col) => col.notNull())
      .addColumn('username', 'text', (col) => col.notNull())
      .addColumn('source', 'text', (col) => col.notNull())
      .addColumn('action', 'text', (col) => col.notNull())
      .addColumn('action_text', 'text', (col) => col.notNull())
      .addColumn('draft', 'text', (col) => col.notNull())
      .addColumn('cron', 'text', (col) => col.notNull())
      .addColumn('clock', 'text', (col) => col.notNull())
      .addColumn('paused', ...flagColumn())
      .addColumn('next_at', 'text')
      .addColumn('next_local', 'text')
      .addColumn('last_at', 'text')
      .addColumn('last_job_id', 'integer')
      .addColumn('last_problem', 'text')
      .addColumn('created_at', ...instantColumn())
      .execute()
    await db.schema.alterTable('fleet_jobs').addColumn('repeat_of', 'integer').execute()
  },
}

/** Actions of jobs that a second person must approve. */
export const jobApprovals: Migration = {
  name: '0085-job-approvals',
  changesData: false,
  async up(db) {
    await db.schema
      .alterTable('roles')
      .addColumn('approve_job_actions', ...jsonColumn('[]'))
      .execute()
  },
}
