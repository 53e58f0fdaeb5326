import { type Kysely, sql } from 'kysely'
import { type Engine, idColumn, instantColumn } from '../columns.ts'

export const name = '0029-software'
export const changesData = false

/**
 * Installed software. Most machines share packages: each version is stored once, and machines reference it by narrow
 * rows, some millions at ten thousand machines.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('software_packages')
    .addColumn('id', ...idColumn(engine))
    .addColumn('digest', 'text', (col) => col.notNull().unique())
    .addColumn('title', 'text', (col) => col.notNull())
    .addColumn('name', 'text', (col) => col.notNull())
    .addColumn('publisher', 'text', (col) => col.notNull())
    .addColumn('source', 'text', (col) => col.notNull())
    .addColumn('version', 'text', (col) => col.notNull())
    .addColumn('search_text', 'text', (col) => col.notNull())
    // Sorts the same on both engines.
    .addColumn('sort_name', engine === 'postgres' ? sql`text collate "C"` : 'text', (col) => col.notNull())
    .execute()
  await db.schema.createIndex('software_packages_title').on('software_packages').column('title').execute()
  const machineSoftware = db.schema
    .createTable('machine_software')
    .addColumn('agent', 'integer', (col) => col.notNull().references('agents.id').onDelete('cascade'))
    .addColumn('package', 'integer', (col) => col.notNull().references('software_packages.id'))
    .addColumn('size', 'bigint')
    .addColumn('install_date', 'text')
    .addColumn('uninstall', 'text')
    .addPrimaryKeyConstraint('machine_software_key', ['agent', 'package'])
  await (engine === 'sqlite' ? machineSoftware.modifyEnd(sql`without rowid`) : machineSoftware).execute()
  await db.schema
    .createIndex('machine_software_package')
    .on('machine_software')
    .columns(['package', 'agent'])
    .execute()
  await db.schema
    .createTable('software_inventories')
    .addColumn('agent', 'integer', (col) => col.primaryKey().references('agents.id').onDelete('cascade'))
    .addColumn('hash', 'text', (col) => col.notNull())
    .addColumn('left_out', 'integer', (col) => col.notNull())
    .addColumn('looked_at', ...instantColumn())
    .addColumn('changed_at', ...instantColumn())
    .execute()
}
