import { type Kysely, sql } from 'kysely'
import { flagColumn } from '../columns.ts'

export const name = '0050-key-roles'
export const changesData = true

/** Keys of the store name the roles that may use them, and records that run scripts later name their author. */
export async function up(db: Kysely<unknown>): Promise<void> {
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
}
