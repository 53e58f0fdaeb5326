import { sql } from 'kysely'
import { bytesColumn, idColumn, instantColumn, jsonColumn } from '../columns.ts'
import type { Migration } from '../migrate.ts'

/** Newer versions of installed packages, and what can install them. */
export const softwareUpgrades: Migration = {
  name: '0088-software-upgrades',
  changesData: false,
  async up(db) {
    await db.schema.alterTable('machine_software').addColumn('available', 'text').execute()
    await db.schema.alterTable('machine_software').addColumn('package_id', 'text').execute()
    await db.schema
      .createIndex('machine_software_available')
      .on('machine_software')
      .columns(['package', 'agent'])
      .where(sql.ref('available'), 'is not', null)
      .execute()
    await db.schema.alterTable('software_inventories').addColumn('managers', 'text').execute()
    await db.schema.alterTable('software_inventories').addColumn('upgrades_problem', 'text').execute()
  },
}

/** Installers that users have uploaded, in parts. */
export const packageFiles: Migration = {
  name: '0088-package-files',
  changesData: false,
  async up(db, engine) {
    await db.schema
      .createTable('package_files')
      .addColumn('id', ...idColumn(engine))
      .addColumn('name', 'text', (col) => col.notNull())
      .addColumn('file_name', 'text', (col) => col.notNull())
      .addColumn('format', 'text', (col) => col.notNull())
      .addColumn('bytes', 'integer', (col) => col.notNull())
      .addColumn('sha256', 'text')
      .addColumn('args', 'text', (col) => col.notNull())
      .addColumn('detection', 'text')
      .addColumn('created_by', 'text', (col) => col.notNull())
      .addColumn('created_at', ...instantColumn())
      .addColumn('modified', ...instantColumn())
      .execute()
    await db.schema
      .createTable('package_file_parts')
      .addColumn('file', 'integer', (col) => col.notNull().references('package_files.id').onDelete('cascade'))
      .addColumn('number', 'integer', (col) => col.notNull())
      .addColumn('data', ...bytesColumn(engine), (col) => col.notNull())
      .addPrimaryKeyConstraint('package_file_parts_key', ['file', 'number'])
      .execute()
  },
}

/** The software that the policies of a machine want, and when it is compared next. */
export const softwarePolicies: Migration = {
  name: '0088-software-policies',
  changesData: false,
  async up(db) {
    await db.schema
      .createTable('machine_software_policies')
      .addColumn('agent', 'integer', (col) => col.primaryKey().references('agents.id').onDelete('cascade'))
      .addColumn('policy', ...jsonColumn('[]'))
      .addColumn('check_at', ...instantColumn())
      .execute()
    await db.schema
      .createIndex('machine_software_policies_check')
      .on('machine_software_policies')
      .column('check_at')
      .execute()
  },
}
