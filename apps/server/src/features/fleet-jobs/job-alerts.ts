import type { Event } from '@muster/contract/events'
import type { AlertSeverity } from '@muster/rules/alerts/alert-state'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { takeFindings } from '../alerts/take-findings.ts'
import type { JobRow } from './queries.ts'

interface Change {
  ctx: Context
  tx: Db
  emit: (event: Event) => void
}

type AlertedJob = Pick<JobRow, 'id' | 'username'>

/**
 * Raises the alert of a job that needs a person, so that the bell and the channels notify. The text has the number of
 * the job and not its name, which may contain a command: an alert without a site is visible to everyone.
 */
export async function raiseJobAlert(
  change: Change,
  job: AlertedJob,
  { severity, text }: { severity: AlertSeverity; text: string },
): Promise<void> {
  const site = await findOnlySite(change.tx, job.id)
  await report(change, job, { site, severity, text: `Job J-${job.id} of ${job.username} ${text}` })
}

/** Resolves the alert of a job, if it is open. */
export async function resolveJobAlert(change: Change, job: AlertedJob, text: string): Promise<void> {
  await report(change, job, { site: null, severity: null, text })
}

async function report(
  { ctx, tx, emit }: Change,
  { id }: AlertedJob,
  { site, severity, text }: { site: number | null; severity: AlertSeverity | null; text: string },
): Promise<void> {
  const cause = `job:${id}`
  const subject = {
    cause,
    alert_type: 'custom' as const,
    agent_id: null,
    check_id: null,
    site_id: site,
    hold: null,
  }
  await takeFindings({ ctx, tx, emit }, new Map([[cause, subject]]), [
    { cause, at: ctx.now(), severity, text },
  ])
}

/** The site of all machines of a job; null = they belong to several. */
async function findOnlySite(tx: Db, jobId: number): Promise<number | null> {
  const sites = await tx
    .selectFrom('fleet_job_agents')
    .innerJoin('agents', 'agents.agent_id', 'fleet_job_agents.agent_id')
    .select('agents.site_id')
    .distinct()
    .where('job_id', '=', jobId)
    .limit(2)
    .execute()
  const [only, other] = sites
  return only === undefined || other !== undefined ? null : only.site_id
}
