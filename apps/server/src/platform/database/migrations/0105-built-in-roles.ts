import type { Migration } from '../migrate.ts'

/** Marks the roles that every server has. Each start adds and updates them. */
export const builtInRoles: Migration = {
  name: '0105-built-in-roles',
  changesData: false,
  async up(db) {
    await db.schema.alterTable('roles').addColumn('built_in', 'text').execute()
    await db.schema.createIndex('roles_built_in').unique().on('roles').column('built_in').execute()
  },
}
