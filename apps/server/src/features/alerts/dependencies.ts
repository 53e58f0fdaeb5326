import { SERVER_CHECK_TYPES } from '@muster/contract/checks/server-checks'
import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Engine } from '../../platform/database/columns.ts'
import type { Db } from '../../platform/database/database.ts'
import { overdueAt } from './overdue.ts'
import { chunk } from '../../platform/database/sql.ts'

/** The state of a check's dependencies: the other check, its own dependency, and so on. */
export interface Dependency {
  /** One of them fails. */
  fails: boolean
  /** The time since which all of them pass. Null while one of them has not run, or may be about to fail. */
  passesSince: string | null
  /** Seconds until the next result of a dependency. */
  answersWithin: number
}

/** Longest wait for checks that run rarely. */
const MAX_WAIT_SECONDS = 300
const SLACK_SECONDS = 10

/**
 * Excludes overridden checks and stale results of silent machines. The query must name the check `checks` and its
 * machine `agents`.
 */
function counts(engine: Engine, now: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(checks.overridden_by is null
    and (checks.check_type in (${sql.join(SERVER_CHECK_TYPES)}) or not ${overdueAt(engine, now)}))`
}

/** The dependencies of these checks. */
export async function findDependencies(
  db: Db,
  engine: Engine,
  { checkIds, now }: { checkIds: readonly number[]; now: Date },
): Promise<Map<number, Dependency>> {
  const found = new Map<number, Dependency>()
  for (const slice of chunk([...new Set(checkIds)])) {
    const { rows } = await sql<AncestorRow>`
      with recursive up(check_id, id, nearest) as (
        select id, depends_on, 1 from checks where depends_on is not null and id in (${sql.join(slice)})
        union
        select up.check_id, checks.depends_on, 0 from up
        join checks on checks.id = up.id where checks.depends_on is not null
      )
      select up.check_id, up.nearest, checks.run_interval, checks.fails_b4_alert, agents.check_interval,
        check_results.alert_severity, check_results.last_run, check_results.fail_count,
        case when ${counts(engine, now.toISOString())} then 1 else 0 end as counts
      from up
      join checks on checks.id = up.id
      join agents on agents.agent_id = checks.agent_id
      left join check_results on check_results.check_id = checks.id
      where up.id <> up.check_id`.execute(db)
    for (const [checkId, ancestors] of Map.groupBy(rows, ({ check_id }) => check_id)) {
      found.set(checkId, dependencyOf(ancestors))
    }
  }
  return found
}

interface AncestorRow {
  check_id: number
  nearest: 0 | 1
  run_interval: number
  fails_b4_alert: number
  check_interval: number
  alert_severity: string | null
  last_run: string | null
  fail_count: number | null
  counts: 0 | 1
}

function dependencyOf(ancestors: readonly AncestorRow[]): Dependency {
  const counting = ancestors.filter((one) => Number(one.counts) === 1)
  const oldest = counting.reduce<string | null>((since, { last_run, fail_count }) => {
    if (since === null || last_run === null || fail_count !== 0) return null
    return last_run < since ? last_run : since
  }, FOREVER)
  const nearest = ancestors.find((one) => Number(one.nearest) === 1)
  const every = nearest === undefined ? 0 : nearest.run_interval || nearest.check_interval
  const wait = every * (nearest?.fails_b4_alert ?? 1) + SLACK_SECONDS
  return {
    fails: counting.some(({ alert_severity }) => alert_severity !== null),
    passesSince: oldest,
    answersWithin: Math.min(wait, MAX_WAIT_SECONDS),
  }
}

/** Without countable dependencies there is nothing to wait for. */
const FOREVER = '9999-12-31T23:59:59.999Z'

/** Ids of all checks with a failing dependency. */
export function blockedChecks(engine: Engine, now: string): RawBuilder<number> {
  return sql<number>`(
    with recursive blocked(id) as (
      select dependents.id from check_results
      join checks on checks.id = check_results.check_id
      join agents on agents.agent_id = checks.agent_id
      join checks as dependents on dependents.depends_on = checks.id
      where check_results.alert_severity is not null and ${counts(engine, now)} and dependents.id <> checks.id
      union
      select checks.id from blocked join checks on checks.depends_on = blocked.id
    )
    select id from blocked)`
}
