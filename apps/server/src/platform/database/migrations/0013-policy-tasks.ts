import { type Kysely, sql } from 'kysely'

export const name = '0013-policy-tasks'
export const changesData = false

/** Tasks can come from policies, like checks, and share their numbering. */
export async function up(db: Kysely<unknown>): Promise<void> {
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
}
