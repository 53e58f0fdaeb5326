import { flagColumn, idColumn, instantColumn, jsonColumn } from '../columns.ts'
import type { Migration } from '../migrate.ts'

/** Webhooks, their deliveries, and the machines that they know to be offline. */
export const webhooks: Migration = {
  name: '0108-webhooks',
  changesData: false,
  async up(db, engine) {
    await db.schema
      .createTable('webhooks')
      .addColumn('id', ...idColumn(engine))
      .addColumn('name', 'text', (col) => col.notNull().unique())
      .addColumn('url', 'text', (col) => col.notNull())
      .addColumn('events', ...jsonColumn('[]'))
      // A webhook of a deleted client must not become one of all clients.
      .addColumn('client_id', 'integer', (col) => col.references('clients.id').onDelete('cascade'))
      .addColumn('enabled', ...flagColumn(1))
      .addColumn('secret', 'text', (col) => col.notNull())
      .addColumn('dropped', 'integer', (col) => col.notNull().defaultTo(0))
      .addColumn('last_delivered', 'text')
      .addColumn('failing_since', 'text')
      .addColumn('sending_by', 'text')
      .addColumn('sending_until', 'text')
      .addColumn('created_at', ...instantColumn())
      .addColumn('modified', ...instantColumn())
      .execute()
    await db.schema.createIndex('webhooks_client').on('webhooks').column('client_id').execute()
    await db.schema
      .createTable('webhook_deliveries')
      .addColumn('id', 'text', (col) => col.primaryKey())
      .addColumn('webhook_id', 'integer', (col) =>
        col.notNull().references('webhooks.id').onDelete('cascade'),
      )
      .addColumn('event', 'text', (col) => col.notNull())
      .addColumn('source', 'text', (col) => col.notNull())
      .addColumn('body', 'text', (col) => col.notNull())
      .addColumn('state', 'text', (col) => col.notNull())
      .addColumn('attempts', 'integer', (col) => col.notNull().defaultTo(0))
      .addColumn('due_at', ...instantColumn())
      .addColumn('created_at', ...instantColumn())
      .addColumn('ended_at', 'text')
      .addColumn('status', 'integer')
      .addColumn('answer', 'text', (col) => col.notNull().defaultTo(''))
      .addUniqueConstraint('webhook_deliveries_source', ['webhook_id', 'source'])
      .execute()
    await db.schema
      .createIndex('webhook_deliveries_state')
      .on('webhook_deliveries')
      .columns(['webhook_id', 'state', 'due_at'])
      .execute()
    await db.schema
      .createTable('webhook_offline')
      .addColumn('agent_id', 'text', (col) =>
        col.primaryKey().references('agents.agent_id').onDelete('cascade'),
      )
      .addColumn('since', ...instantColumn())
      .execute()
  },
}
