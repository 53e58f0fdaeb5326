import { flagColumn, idColumn, instantColumn, jsonColumn } from '../columns.ts'
import type { Migration } from '../migrate.ts'

/** Patch policies of machines, their installations, and what happened to patches in each ring. */
export const patchPolicies: Migration = {
  name: '0087-patch-policies',
  changesData: false,
  async up(db, engine) {
    await db.schema
      .createTable('machine_patch_policies')
      .addColumn('agent', 'integer', (col) => col.primaryKey().references('agents.id').onDelete('cascade'))
      .addColumn('policy', ...jsonColumn('{}'))
      .addColumn('own', ...jsonColumn('{}'))
      .addColumn('judge_at', 'text')
      .addColumn('next_at', 'text')
      .addColumn('next_until', 'text')
      .execute()
    for (const column of ['judge_at', 'next_at'] as const)
      await db.schema
        .createIndex(`machine_patch_policies_${column}`)
        .on('machine_patch_policies')
        .column(column)
        .execute()
    await db.schema
      .createTable('patch_installs')
      .addColumn('id', ...idColumn(engine))
      .addColumn('agent', 'integer', (col) => col.notNull().references('agents.id').onDelete('cascade'))
      .addColumn('due_at', ...instantColumn())
      .addColumn('until', ...instantColumn())
      .addColumn('policy', ...jsonColumn('{}'))
      .addColumn('step', 'text', (col) => col.notNull())
      .addColumn('history_id', 'integer')
      .addColumn('tries', 'integer', (col) => col.notNull().defaultTo(0))
      .addColumn('patches', ...jsonColumn('[]'))
      .addColumn('next_at', 'text')
      .addColumn('ends_at', 'text')
      .addColumn('state', 'text', (col) => col.notNull())
      .addColumn('reason', 'text')
      .addColumn('needs_reboot', ...flagColumn())
      .addColumn('finished_at', 'text')
      // One for each machine and time, whichever process is first.
      .addUniqueConstraint('patch_installs_due', ['agent', 'due_at'])
      .execute()
    await db.schema.createIndex('patch_installs_next').on('patch_installs').column('next_at').execute()
    await db.schema.createIndex('patch_installs_run').on('patch_installs').column('history_id').execute()
    await db.schema
      .createTable('ring_patches')
      .addColumn('policy', 'integer', (col) => col.notNull())
      .addColumn('ring', 'integer', (col) => col.notNull())
      .addColumn('digest', 'text', (col) => col.notNull())
      .addColumn('succeeded_at', 'text')
      .addColumn('failed', 'integer', (col) => col.notNull().defaultTo(0))
      .addColumn('changed_at', ...instantColumn())
      .addPrimaryKeyConstraint('ring_patches_key', ['policy', 'ring', 'digest'])
      .execute()
  },
}
