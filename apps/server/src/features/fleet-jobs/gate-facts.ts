import type { GateConditions, GateFacts } from '@muster/rules/fleet-jobs/job-state'
import { nameCheck } from '@muster/rules/checks/check-name'
import type { Context } from '../../context.ts'
import { readSettings } from '../checks/view.ts'
import type { JobHead, WaveCounts } from './queries.ts'
import { wavesOf } from './queries.ts'

/** The facts that decide the gate after the current wave of a job. */
export async function readGateFacts(
  ctx: Context,
  job: JobHead,
  { no_new_alerts, check }: GateConditions,
  wave: WaveCounts,
): Promise<GateFacts> {
  const since = wavesOf(job)[job.wave - 1]?.started_at ?? ''
  return {
    succeeded: wave.succeeded,
    ended: wave.succeeded + wave.failed,
    newAlerts: no_new_alerts ? await countNewAlerts(ctx, job, since) : 0,
    failingChecks: check === null ? 0 : await countFailing(ctx, job, check),
  }
}

/** Alerts that have opened on the machines of the wave and are still open. */
async function countNewAlerts({ db }: Context, { id, wave }: JobHead, since: string): Promise<number> {
  const { count } = await db
    .selectFrom('fleet_job_agents')
    .innerJoin('alerts', 'alerts.agent_id', 'fleet_job_agents.agent_id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('job_id', '=', id)
    .where('wave', '=', wave)
    .where('fleet_job_agents.tries', '>', 0)
    .where('alerts.open_cause', 'is not', null)
    .where('alerts.alert_time', '>=', since)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Machines of the wave on which a check of this name has a result that does not pass. */
async function countFailing({ db }: Context, { id, wave }: JobHead, name: string): Promise<number> {
  const rows = await db
    .selectFrom('fleet_job_agents')
    .innerJoin('checks', 'checks.agent_id', 'fleet_job_agents.agent_id')
    .innerJoin('check_results', 'check_results.check_id', 'checks.id')
    .leftJoin('scripts', 'scripts.id', 'checks.script_id')
    .select(['checks.agent_id', 'checks.check_type', 'checks.settings', 'scripts.name as script_name'])
    .where('job_id', '=', id)
    .where('wave', '=', wave)
    .where('fleet_job_agents.tries', '>', 0)
    .where('check_results.status', '!=', 'passing')
    .execute()
  const wanted = name.toLowerCase()
  const failing = rows.filter(({ script_name, ...row }) =>
    nameCheck({ settings: readSettings(row), script_name })
      .toLowerCase()
      .includes(wanted),
  )
  return new Set(failing.map(({ agent_id }) => agent_id)).size
}
