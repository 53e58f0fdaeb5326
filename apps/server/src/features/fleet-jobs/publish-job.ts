import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { countMachines, type JobHead, sumCounts } from './queries.ts'

/** Publishes a job that is done or stopped. A webhook of one client gets it if all machines are of that client. */
export async function publishJob(
  ctx: Pick<Context, 'jobs' | 'now' | 'hooks'>,
  tx: Db,
  { id, name, action, action_text, username, started_at }: JobHead,
  { state, finished_at }: { state: 'done' | 'stopped'; finished_at: string },
): Promise<void> {
  const clients = await tx
    .selectFrom('fleet_job_agents')
    .innerJoin('agents', 'agents.agent_id', 'fleet_job_agents.agent_id')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .select('sites.client_id')
    .distinct()
    .where('job_id', '=', id)
    .execute()
  const machines = sumCounts(await countMachines(tx, id))
  await ctx.hooks.publish(ctx, tx, [
    {
      event: 'job.finished',
      // A job whose failed machines are tried again ends once more.
      source: `job.finished:${id}:${finished_at}`,
      client_ids: clients.map(({ client_id }) => client_id),
      data: {
        job: { id, name, state, action, action_text, username, started_at, finished_at, machines },
      },
    },
  ])
}
