import type { Migration } from '../migrate.ts'

/** Distinguishes machines with one machine id by their hardware. */
export const machineHardware: Migration = {
  name: '0113-machine-hardware',
  changesData: false,
  async up(db) {
    await db.schema.alterTable('agents').addColumn('hardware', 'text').execute()
    await db.schema.alterTable('agents').addColumn('hardware_changed_at', 'text').execute()
    await db.schema.alterTable('agents').addColumn('cloned_key', 'text').execute()
    await db.schema.createIndex('agents_cloned_key').on('agents').column('cloned_key').execute()
  },
}
