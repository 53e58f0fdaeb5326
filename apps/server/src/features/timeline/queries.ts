import { MAX_OF_KIND } from '@muster/contract/api/timeline'
import { nameCheck } from '@muster/rules/checks/check-name'
import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import { readSettings } from '../checks/view.ts'

/** A machine, and a time range as instants and as Unix seconds. */
export interface TimelineRange {
  agentId: string
  from: number
  to: number
  fromInstant: string
  toInstant: string
}

/** One more than is shown, to detect further ones. */
const LIMIT = MAX_OF_KIND + 1

/** Failures in the range, with their ends if known. */
export async function findFailures(db: Db, { agentId, from, to }: TimelineRange) {
  const rows = await db
    .selectFrom('check_transitions')
    .innerJoin('checks', 'checks.id', 'check_transitions.check_id')
    .leftJoin('scripts', 'scripts.id', 'checks.script_id')
    .select([
      'check_id',
      'at',
      'severity',
      'checks.check_type',
      'checks.settings',
      'scripts.name as script_name',
    ])
    .select((eb) =>
      eb
        .selectFrom('check_transitions as next')
        .select((next) => next.fn.min('next.at').as('at'))
        .whereRef('next.check_id', '=', 'check_transitions.check_id')
        .whereRef('next.at', '>', 'check_transitions.at')
        .as('ended_at'),
    )
    .where('check_transitions.agent_id', '=', agentId)
    .where('severity', 'is not', null)
    .where('at', '<=', to)
    .where((eb) => {
      const overBefore = eb
        .selectFrom('check_transitions as later')
        .select('later.id')
        .whereRef('later.check_id', '=', 'check_transitions.check_id')
        .whereRef('later.at', '>', 'check_transitions.at')
        .where('later.at', '<', from)
      return eb.or([eb('at', '>=', from), eb.not(eb.exists(overBefore))])
    })
    .orderBy('at', 'desc')
    .limit(LIMIT)
    .execute()
  return rows.map((row) => ({
    ...row,
    name: nameCheck({ settings: readSettings(row), script_name: row.script_name }),
  }))
}

/** Alerts except those of checks, which appear as failures. */
export function findOtherAlerts(db: Db, { agentId, fromInstant, toInstant }: TimelineRange) {
  return db
    .selectFrom('alerts')
    .select(['id', 'alert_time', 'resolved_on', 'severity', 'message'])
    .where('agent_id', '=', agentId)
    .where('check_id', 'is', null)
    .where('alert_time', '<=', toInstant)
    .where((eb) => eb.or([eb('resolved_on', 'is', null), eb('resolved_on', '>=', fromInstant)]))
    .orderBy('alert_time', 'desc')
    .limit(LIMIT)
    .execute()
}

/** By the time when they started, which may be long after they were ordered. */
export function findRuns(db: Db, { agentId, fromInstant, toInstant }: TimelineRange) {
  const startedAt = sql<string>`coalesce(started_at, time)`
  return db
    .selectFrom('agent_history')
    .select(['id', 'time', 'started_at', 'finished_at', 'type', 'command', 'script_name', 'state'])
    .select(['retcode', 'username'])
    .where('agent_id', '=', agentId)
    .where(startedAt, '>=', fromInstant)
    .where(startedAt, '<=', toInstant)
    .orderBy(startedAt, 'desc')
    .limit(LIMIT)
    .execute()
}

/** Changes by users. Commands and scripts appear as runs. */
export function findChanges(db: Db, { agentId, fromInstant, toInstant }: TimelineRange) {
  return db
    .selectFrom('audit_log')
    .select(['id', 'entry_time', 'username', 'message'])
    .where('agent_id', '=', agentId)
    .where('action', 'in', ['add', 'modify', 'delete'])
    .where('entry_time', '>=', fromInstant)
    .where('entry_time', '<=', toInstant)
    .orderBy('entry_time', 'desc')
    .limit(LIMIT)
    .execute()
}

/** Saved versions of these policies. */
export function findPolicyVersions(
  db: Db,
  policyIds: readonly number[],
  { fromInstant, toInstant }: TimelineRange,
) {
  return db
    .selectFrom('policy_versions')
    .innerJoin('policies', 'policies.id', 'policy_versions.policy_id')
    .select(['policy_id', 'policies.name', 'policy_versions.version', 'at', 'by_user', 'reason'])
    .where('policy_id', 'in', policyIds)
    .where('at', '>=', fromInstant)
    .where('at', '<=', toInstant)
    .orderBy('at', 'desc')
    .limit(LIMIT)
    .execute()
}

/** Remote sessions with their ends. */
export function findRemoteSessions(db: Db, { agentId, fromInstant, toInstant }: TimelineRange) {
  return db
    .selectFrom('remote_sessions')
    .select(['tool', 'username', 'started_at', 'ended_at'])
    .where('agent_id', '=', agentId)
    .where('started_at', '<=', toInstant)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>=', fromInstant)]))
    .orderBy('started_at', 'desc')
    .limit(LIMIT)
    .execute()
}

/** Runs of tasks, including missed ones. */
export function findTaskRuns(db: Db, { agentId, fromInstant, toInstant }: TimelineRange) {
  return db
    .selectFrom('task_runs')
    .innerJoin('tasks', 'tasks.id', 'task_runs.task_id')
    .select(['task_id', 'tasks.name', 'tasks.alert_severity', 'state', 'status', 'more_info'])
    .select(['started_at', 'ended_at'])
    .where('tasks.agent_id', '=', agentId)
    .where('started_at', '<=', toInstant)
    .where((eb) => eb.or([eb('started_at', '>=', fromInstant), eb('ended_at', '>=', fromInstant)]))
    .orderBy('started_at', 'desc')
    .limit(LIMIT)
    .execute()
}

/** Changed facts of the machine. */
export function findSystemChanges(db: Db, { agentId, from, to }: TimelineRange) {
  return db
    .selectFrom('machine_changes')
    .select(['at', 'text'])
    .where('agent_id', '=', agentId)
    .where('at', '>=', from)
    .where('at', '<=', to)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(LIMIT)
    .execute()
}

/** Actions of jobs that have no run of their own. */
export function findJobActions(db: Db, { agentId, fromInstant, toInstant }: TimelineRange) {
  return db
    .selectFrom('fleet_job_agents')
    .innerJoin('fleet_jobs', 'fleet_jobs.id', 'fleet_job_agents.job_id')
    .select(['job_id', 'fleet_jobs.action_text', 'fleet_jobs.username', 'fleet_job_agents.state'])
    .select(['fleet_job_agents.reason', 'fleet_job_agents.started_at', 'fleet_job_agents.finished_at'])
    .where('agent_id', '=', agentId)
    .where('fleet_job_agents.state', 'in', ['succeeded', 'failed'])
    .where('history_id', 'is', null)
    .where('fleet_job_agents.finished_at', '>=', fromInstant)
    .where('fleet_job_agents.started_at', '<=', toInstant)
    .orderBy('fleet_job_agents.started_at', 'desc')
    .limit(LIMIT)
    .execute()
}
