import type { Migration } from '../migrate.ts'

/** When the user of a session last proved who they are. Sessions of before count as not proved. */
export const sessionProofs: Migration = {
  name: '0120-session-proofs',
  changesData: false,
  async up(db) {
    await db.schema.alterTable('sessions').addColumn('proved_at', 'text').execute()
  },
}
