import type { Migration } from '../migrate.ts'

/** The state of a package whose installation has not ended, or that is on hold. */
export const packageStates: Migration = {
  name: '0117-package-states',
  changesData: false,
  async up(db) {
    await db.schema.alterTable('machine_software').addColumn('states', 'text').execute()
  },
}
