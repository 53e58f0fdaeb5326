import type { CheckCounts } from '@muster/contract/api/agents'
import type { PolicyItemRef } from '@muster/contract/policies/policy-items'
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { z } from 'zod'
import type { Db } from '../../platform/database/database.ts'
import { chunk } from '../../platform/database/sql.ts'
import type { CheckResultsTable, ChecksTable } from '../../platform/database/tables/checks.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Scope } from '../../platform/http/caller.ts'
import { isOldPass } from './aged-results.ts'

type Viewer = { scope: Scope }
type Result = Selectable<CheckResultsTable>
/** A check with its last result, whose columns are null while it is pending. */
export type CheckRow = Selectable<ChecksTable> & { [Name in keyof Result]: Result[Name] | null } & {
  /** agents.id */
  agent: number
  /** The machine's, in seconds. */
  check_interval: number
  hostname: string
  script_name: string | null
  policy_name: string | null
  /** Its dependency, if visible to the caller. */
  dependency?: Dependency | null
}
type Dependency = Pick<
  CheckRow,
  'id' | 'agent_id' | 'hostname' | 'check_type' | 'settings' | 'script_name' | 'status'
>

function selectChecks(db: Db, caller: Viewer) {
  return db
    .selectFrom('checks')
    .innerJoin('agents', 'agents.agent_id', 'checks.agent_id')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .leftJoin('check_results', 'check_results.check_id', 'checks.id')
    .leftJoin('scripts', 'scripts.id', 'checks.script_id')
    .leftJoin('policies', 'policies.id', 'checks.policy_id')
    .selectAll('checks')
    .select(['check_id', 'status', 'alert_severity', 'more_info', 'last_run', 'ran_at', 'fail_count'])
    .select(['failing_since', 'measured', 'agents.id as agent', 'agents.hostname', 'agents.check_interval'])
    .select(['scripts.name as script_name', 'policies.name as policy_name'])
    .where(visibleTo(caller))
}

/** Checks of one machine, or all visible ones. */
export async function findChecks(db: Db, caller: Viewer, agentId?: string): Promise<CheckRow[]> {
  const rows = await selectChecks(db, caller)
    .$if(agentId !== undefined, (query) => query.where('checks.agent_id', '=', agentId ?? ''))
    .orderBy('checks.id')
    .execute()
  return addDependencies(db, caller, rows)
}

export async function findCheck(db: Db, caller: Viewer, id: number): Promise<CheckRow | undefined> {
  const row = await selectChecks(db, caller).where('checks.id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : (await addDependencies(db, caller, [row]))[0]
}

/** Adds the dependencies that the caller may see. */
async function addDependencies(db: Db, caller: Viewer, rows: CheckRow[]): Promise<CheckRow[]> {
  const ids = [...new Set(rows.flatMap(({ depends_on }) => depends_on ?? []))]
  if (ids.length === 0) return rows
  const others = new Map<number, Dependency>()
  for (const slice of chunk(ids)) {
    const found = await selectChecks(db, caller).where('checks.id', 'in', slice).execute()
    for (const other of found) others.set(other.id, other)
  }
  return rows.map((row) => ({ ...row, dependency: others.get(row.depends_on ?? 0) ?? null }))
}

/** One check of a policy, on each visible machine that has it. */
export function findPolicyCheckRows(db: Db, caller: Viewer, of: PolicyItemRef): Promise<CheckRow[]> {
  const all = selectChecks(db, caller).where('checks.policy_id', '=', of.policy)
  return all.where('checks.policy_check', '=', of.number).execute()
}

/** Checks by id, regardless of visibility. */
export function findChecksByIds(db: Db, ids: number[]): Promise<CheckRow[]> {
  return selectChecks(db, { scope: { all: true } })
    .where('checks.id', 'in', ids)
    .orderBy('checks.id')
    .execute()
}

/** The number of its own checks of a machine, without policy checks. */
export async function countChecks(db: Db, agentId: string): Promise<number> {
  const { count } = await db
    .selectFrom('checks')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('agent_id', '=', agentId)
    .where('policy_id', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export function insertCheck(db: Db, check: Insertable<ChecksTable>): Promise<{ id: number }> {
  return db.insertInto('checks').values(check).returning('id').executeTakeFirstOrThrow()
}

export async function updateCheck(db: Db, id: number, change: Updateable<ChecksTable>): Promise<void> {
  await db.updateTable('checks').set(change).where('id', '=', id).execute()
}

export async function deleteCheckRow(db: Db, id: number): Promise<void> {
  await db.deleteFrom('checks').where('id', '=', id).execute()
}

export async function updateResult(db: Db, id: number, change: Updateable<CheckResultsTable>): Promise<void> {
  await db.updateTable('check_results').set(change).where('check_id', '=', id).execute()
}

export async function deleteResults(db: Db, ids: number[]): Promise<void> {
  await db.deleteFrom('check_results').where('check_id', 'in', ids).execute()
}

export function findScriptChecks(db: Db, scriptId: number) {
  return db
    .selectFrom('checks')
    .leftJoin('check_results', 'check_results.check_id', 'checks.id')
    .select(['checks.id', 'checks.agent_id', 'status', 'alert_severity'])
    .where('script_id', '=', scriptId)
    .orderBy('checks.id')
    .execute()
}

/** Checks that use the machine's own interval. */
export async function findChecksOfInterval(db: Db, agentId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('checks')
    .select('id')
    .where('agent_id', '=', agentId)
    .where('run_interval', '=', 0)
    .execute()
  return rows.map(({ id }) => id)
}

type Counts = z.infer<typeof CheckCounts>
export const NO_CHECKS: Counts = {
  total: 0,
  passing: 0,
  failing: 0,
  warning: 0,
  info: 0,
  has_failing_checks: false,
  old: 0,
  old_since: null,
  pending: 0,
}

/** Check states per machine. Machines without checks are missing. */
export async function findCheckCounts(
  db: Db,
  agentIds: string[],
  now: Date,
): Promise<(agentId: string) => Counts> {
  const rows = await db
    .selectFrom('checks')
    .innerJoin('agents', 'agents.agent_id', 'checks.agent_id')
    .leftJoin('check_results', 'check_results.check_id', 'checks.id')
    .select(['checks.agent_id', 'check_results.status', 'check_results.alert_severity'])
    .select(isOldPass(now).as('old'))
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('check_results.ran_at').as('ran_at')])
    .where('checks.agent_id', 'in', agentIds)
    .where('checks.overridden_by', 'is', null)
    .groupBy(['checks.agent_id', 'check_results.status', 'check_results.alert_severity', 'old'])
    .execute()
  const counts = new Map<string, Counts>()
  for (const { agent_id, status, alert_severity, old, count, ran_at } of rows) {
    const sum = counts.get(agent_id) ?? { ...NO_CHECKS }
    counts.set(agent_id, sum)
    const many = Number(count)
    sum.total += many
    // SQLite returns 1.
    if (Number(old) === 1) {
      sum.old += many
      sum.old_since = new Date(Number(ran_at) * 1000).toISOString()
    } else if (status === 'passing') sum.passing += many
    if (status === null || status === 'pending' || status === 'not_measured') sum.pending += many
    if (alert_severity === 'error') sum.failing += many
    else if (alert_severity !== null) sum[alert_severity] += many
    if (alert_severity !== null) sum.has_failing_checks = true
  }
  return (agentId) => counts.get(agentId) ?? NO_CHECKS
}
