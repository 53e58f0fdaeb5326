import { type Kysely, sql } from 'kysely'
import { type Engine, flagColumn, idColumn, instantColumn, jsonColumn } from '../columns.ts'

export const name = '0003-alerts'
export const changesData = false

export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await createAlerts(db, engine)
  await createChannels(db, engine)
}

async function createAlerts(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('alerts')
    .addColumn('id', ...idColumn(engine))
    .addColumn('cause', 'text', (col) => col.notNull())
    .addColumn('open_cause', 'text', (col) => col.unique())
    .addColumn('alert_type', 'text', (col) => col.notNull())
    .addColumn('state', 'text', (col) => col.notNull())
    .addColumn('severity', 'text', (col) => col.notNull())
    .addColumn('message', 'text', (col) => col.notNull())
    .addColumn('agent_id', 'text', (col) => col.references('agents.agent_id').onDelete('cascade'))
    .addColumn('check_id', 'integer', (col) => col.references('checks.id').onDelete('set null'))
    .addColumn('site_id', 'integer', (col) => col.references('sites.id').onDelete('cascade'))
    .addColumn('alert_time', ...instantColumn())
    .addColumn('snooze_until', 'text')
    .addColumn('acknowledged_by', 'text', (col) => col.notNull().defaultTo(''))
    .addColumn('acknowledged_on', 'text')
    .addColumn('resolved_on', 'text')
    .addColumn('resolved_by', 'text', (col) => col.notNull().defaultTo(''))
    .addColumn('hold', 'text')
    .addColumn('flapping', ...flagColumn())
    .addColumn('told', 'text')
    .addColumn('look_after', 'text')
    .addColumn('created_at', ...instantColumn())
    .addColumn('modified', ...instantColumn())
    .execute()
  await db.schema.createIndex('alerts_cause').on('alerts').columns(['cause', 'alert_time']).execute()
  await db.schema.createIndex('alerts_agent').on('alerts').columns(['agent_id', 'alert_time']).execute()
  // Includes the severity, so that lists are counted from the index alone.
  await db.schema
    .createIndex('alerts_state')
    .on('alerts')
    .columns(['state', 'alert_time', 'severity'])
    .execute()
  await db.schema.createIndex('alerts_check').on('alerts').column('check_id').execute()
  await db.schema.createIndex('alerts_site').on('alerts').column('site_id').execute()
  // Queried by the sweep every second: open alerts, waiting alerts and silent machines.
  await db.schema
    .createIndex('alerts_open')
    .on('alerts')
    .column('alert_type')
    .where(sql<boolean>`open_cause is not null`)
    .execute()
  await db.schema
    .createIndex('alerts_waiting')
    .on('alerts')
    .column('look_after')
    .where(sql<boolean>`look_after is not null`)
    .execute()
  await db.schema
    .createIndex('agents_silent')
    .on('agents')
    .column('last_seen')
    .where(sql<boolean>`connected = 0`)
    .execute()
  await db.schema
    .createTable('alert_log')
    .addColumn('id', ...idColumn(engine))
    .addColumn('alert_id', 'integer', (col) => col.notNull().references('alerts.id').onDelete('cascade'))
    .addColumn('at', ...instantColumn())
    .addColumn('kind', 'text', (col) => col.notNull())
    .addColumn('by_user', 'text', (col) => col.notNull().defaultTo(''))
    .addColumn('text', 'text', (col) => col.notNull().defaultTo(''))
    .execute()
  await db.schema.createIndex('alert_log_alert').on('alert_log').column('alert_id').execute()
}

async function createChannels(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('alert_channels')
    .addColumn('id', ...idColumn(engine))
    .addColumn('name', 'text', (col) => col.notNull().unique())
    .addColumn('settings', ...jsonColumn('{}'))
    .addColumn('rules', ...jsonColumn('{}'))
    .addColumn('last_sent', 'text')
    .addColumn('failing_since', 'text')
    .addColumn('last_error', 'text', (col) => col.notNull().defaultTo(''))
    .addColumn('sending_by', 'text')
    .addColumn('sending_until', 'text')
    .addColumn('created_at', ...instantColumn())
    .addColumn('modified', ...instantColumn())
    .execute()
  await db.schema
    .createTable('alert_notices')
    .addColumn('id', ...idColumn(engine))
    .addColumn('alert_id', 'integer', (col) => col.notNull().references('alerts.id').onDelete('cascade'))
    .addColumn('channel_id', 'integer', (col) =>
      col.notNull().references('alert_channels.id').onDelete('cascade'),
    )
    .addColumn('kind', 'text', (col) => col.notNull())
    .addColumn('turn', 'integer', (col) => col.notNull())
    .addColumn('state', 'text', (col) => col.notNull())
    .addColumn('due_at', ...instantColumn())
    .addColumn('created_at', ...instantColumn())
    .addColumn('ended_at', 'text')
    .addColumn('attempts', 'integer', (col) => col.notNull().defaultTo(0))
    .addColumn('delivery', 'text')
    .addColumn('unsure', ...flagColumn())
    .addColumn('answer', 'text', (col) => col.notNull().defaultTo(''))
    .addUniqueConstraint('alert_notices_once', ['alert_id', 'channel_id', 'kind', 'turn'])
    .execute()
  await db.schema
    .createIndex('alert_notices_waiting')
    .on('alert_notices')
    .columns(['state', 'due_at'])
    .execute()
  await db.schema.createIndex('alert_notices_channel').on('alert_notices').column('channel_id').execute()
}
