import type { Migration } from '../migrate.ts'

/** The overview compares the causes with those of 24 hours ago, so it reads the alerts that were resolved since. */
export const resolvedAlerts: Migration = {
  name: '0098-resolved-alerts',
  changesData: false,
  async up(db) {
    await db.schema
      .createIndex('alerts_resolved')
      .on('alerts')
      .column('resolved_on')
      .where('resolved_on', 'is not', null)
      .execute()
  },
}
