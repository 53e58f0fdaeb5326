import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { isOldPass } from '../checks/aged-results.ts'

/** How the checks of a policy stand on the machines of the caller, counted by check. */
export async function countPolicyChecks(db: Db, caller: Caller, policyId: number, now: Date) {
  const rows = await db
    .selectFrom('checks')
    .innerJoin('agents', 'agents.agent_id', 'checks.agent_id')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .leftJoin('check_results', 'check_results.check_id', 'checks.id')
    .select(['policy_check as number', 'status', 'alert_severity', isOldPass(now).as('old')])
    .select(sql<number>`count(*)`.as('count'))
    .where('checks.policy_id', '=', policyId)
    .where(visibleTo(caller))
    .groupBy(['policy_check', 'status', 'alert_severity', 'old'])
    .execute()
  // SQLite says 1.
  return rows.map((row) => ({ ...row, old: Number(row.old) === 1, count: Number(row.count) }))
}

/** The same of its tasks. */
export async function countPolicyTasks(db: Db, caller: Caller, policyId: number) {
  const rows = await db
    .selectFrom('tasks')
    .innerJoin('agents', 'agents.agent_id', 'tasks.agent_id')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .leftJoin('task_results', 'task_results.task_id', 'tasks.id')
    .select(['policy_task as number', 'status'])
    .select(sql<number>`count(*)`.as('count'))
    .where('tasks.policy_id', '=', policyId)
    .where(visibleTo(caller))
    .groupBy(['policy_task', 'status'])
    .execute()
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}
