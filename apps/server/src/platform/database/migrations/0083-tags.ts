import { flagColumn, idColumn, instantColumn, jsonColumn } from '../columns.ts'
import type { Migration } from '../migrate.ts'

/** Tags of machines and clients. */
export const tags: Migration = {
  name: '0083-tags',
  changesData: false,
  async up(db, engine) {
    await db.schema
      .createTable('tags')
      .addColumn('id', ...idColumn(engine))
      .addColumn('name', 'text', (col) => col.notNull())
      .addColumn('name_key', 'text', (col) => col.notNull().unique())
      .addColumn('color', 'text', (col) => col.notNull())
      .addColumn('created_at', ...instantColumn())
      .addColumn('modified', ...instantColumn())
      .execute()
    await db.schema
      .createTable('agent_tags')
      .addColumn('agent_id', 'text', (col) => col.notNull().references('agents.agent_id').onDelete('cascade'))
      .addColumn('tag_id', 'integer', (col) => col.notNull().references('tags.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('agent_tags_pk', ['agent_id', 'tag_id'])
      .execute()
    await db.schema.createIndex('agent_tags_tag').on('agent_tags').column('tag_id').execute()
    await db.schema
      .createTable('client_tags')
      .addColumn('client_id', 'integer', (col) => col.notNull().references('clients.id').onDelete('cascade'))
      .addColumn('tag_id', 'integer', (col) => col.notNull().references('tags.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('client_tags_pk', ['client_id', 'tag_id'])
      .execute()
    await db.schema.createIndex('client_tags_tag').on('client_tags').column('tag_id').execute()
  },
}

/** Saved views of the machines table. */
export const machineViews: Migration = {
  name: '0083-machine-views',
  changesData: false,
  async up(db, engine) {
    await db.schema
      .createTable('machine_views')
      .addColumn('id', ...idColumn(engine))
      .addColumn('name', 'text', (col) => col.notNull())
      .addColumn('user_id', 'integer', (col) => col.notNull().references('users.id').onDelete('cascade'))
      .addColumn('shared', ...flagColumn())
      .addColumn('search', 'text', (col) => col.notNull())
      .addColumn('sort', 'text', (col) => col.notNull())
      .addColumn('columns', ...jsonColumn('[]'))
      .addColumn('created_at', ...instantColumn())
      .addColumn('modified', ...instantColumn())
      .addUniqueConstraint('machine_views_name', ['user_id', 'name'])
      .execute()
  },
}

/** Searches that tag machines. */
export const tagRules: Migration = {
  name: '0083-tag-rules',
  changesData: false,
  async up(db) {
    await db.schema
      .alterTable('tags')
      .addColumn('rule', 'text', (col) => col.notNull().defaultTo(''))
      .execute()
    await db.schema
      .createTable('rule_tags')
      .addColumn('agent_id', 'text', (col) => col.notNull().references('agents.agent_id').onDelete('cascade'))
      .addColumn('tag_id', 'integer', (col) => col.notNull().references('tags.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('rule_tags_pk', ['agent_id', 'tag_id'])
      .execute()
    await db.schema.createIndex('rule_tags_tag').on('rule_tags').column('tag_id').execute()
  },
}
