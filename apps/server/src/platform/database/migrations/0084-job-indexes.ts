import type { Migration } from '../migrate.ts'

/** The page of a job reads these only, however many machines it has. */
export const jobIndexes: Migration = {
  name: '0084-job-indexes',
  changesData: false,
  async up(db) {
    // Groups of equal output with their longest run; and the running machines, which have no output yet, by their start.
    await db.schema
      .createIndex('fleet_job_agents_groups')
      .on('fleet_job_agents')
      .columns(['job_id', 'state', 'output_group', 'execution_time', 'started_at'])
      .execute()
    await db.schema
      .createIndex('fleet_job_agents_finished')
      .on('fleet_job_agents')
      .columns(['job_id', 'finished_at', 'state'])
      .where('finished_at', 'is not', null)
      .execute()
    await db.schema
      .createIndex('agent_history_job_state')
      .on('agent_history')
      .columns(['fleet_job_id', 'state'])
      .where('fleet_job_id', 'is not', null)
      .execute()
    await db.schema.createIndex('agents_connected').on('agents').columns(['connected', 'agent_id']).execute()
  },
}
