import type { Kysely } from 'kysely'
import { type Engine, flagColumn, idColumn, instantColumn, jsonColumn } from '../columns.ts'

export const name = '0007-scripts-and-fields'
export const changesData = false

export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('key_store')
    .addColumn('id', ...idColumn(engine))
    .addColumn('name', 'text', (col) => col.notNull().unique())
    .addColumn('value', 'text', (col) => col.notNull())
    .addColumn('created_at', ...instantColumn())
    .addColumn('modified', ...instantColumn())
    .execute()
  await createFields(db, engine)
  await db.schema
    .createTable('script_snippets')
    .addColumn('id', ...idColumn(engine))
    .addColumn('name', 'text', (col) => col.notNull().unique())
    .addColumn('description', 'text', (col) => col.notNull().defaultTo(''))
    .addColumn('code', 'text', (col) => col.notNull())
    .addColumn('shell', 'text', (col) => col.notNull())
    .addColumn('created_at', ...instantColumn())
    .addColumn('modified', ...instantColumn())
    .execute()
  await db.schema.alterTable('scripts').addColumn('builtin_key', 'text').execute()
  await db.schema.createIndex('scripts_builtin_key').unique().on('scripts').column('builtin_key').execute()
  await db.schema
    .createTable('script_versions')
    .addColumn('id', ...idColumn(engine))
    .addColumn('script_id', 'integer', (col) => col.notNull().references('scripts.id').onDelete('cascade'))
    .addColumn('username', 'text', (col) => col.notNull())
    .addColumn('saved_at', ...instantColumn())
    .addColumn('content', ...jsonColumn('{}'))
    .execute()
  await db.schema
    .createIndex('script_versions_script')
    .on('script_versions')
    .columns(['script_id', 'id'])
    .execute()
}

async function createFields(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('custom_fields')
    .addColumn('id', ...idColumn(engine))
    .addColumn('position', 'integer', (col) => col.notNull().defaultTo(0))
    .addColumn('model', 'text', (col) => col.notNull())
    .addColumn('type', 'text', (col) => col.notNull())
    .addColumn('options', ...jsonColumn('[]'))
    .addColumn('name', 'text', (col) => col.notNull())
    .addColumn('required', ...flagColumn())
    .addColumn('default_value_string', 'text', (col) => col.notNull().defaultTo(''))
    .addColumn('default_value_bool', ...flagColumn())
    .addColumn('default_values_multiple', ...jsonColumn('[]'))
    .addColumn('hide_in_ui', ...flagColumn())
    .addColumn('hide_in_summary', ...flagColumn())
    .addColumn('created_at', ...instantColumn())
    .addColumn('modified', ...instantColumn())
    .addUniqueConstraint('custom_fields_name', ['model', 'name'])
    .execute()
  // One of the three owners is set. NULLs are distinct on both engines, so each owner has a field once.
  await db.schema
    .createTable('custom_field_values')
    .addColumn('id', ...idColumn(engine))
    .addColumn('field_id', 'integer', (col) =>
      col.notNull().references('custom_fields.id').onDelete('cascade'),
    )
    .addColumn('client_id', 'integer', (col) => col.references('clients.id').onDelete('cascade'))
    .addColumn('site_id', 'integer', (col) => col.references('sites.id').onDelete('cascade'))
    .addColumn('agent_id', 'text', (col) => col.references('agents.agent_id').onDelete('cascade'))
    .addColumn('value', 'text', (col) => col.notNull())
    .addUniqueConstraint('custom_field_values_client', ['client_id', 'field_id'])
    .addUniqueConstraint('custom_field_values_site', ['site_id', 'field_id'])
    .addUniqueConstraint('custom_field_values_agent', ['agent_id', 'field_id'])
    .execute()
  await db.schema
    .createIndex('custom_field_values_field')
    .on('custom_field_values')
    .column('field_id')
    .execute()
}
