import { sql, type SqlBool } from 'kysely'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { type CheckFinding, takeCheckFindings } from './check-alerts.ts'
import { CHECK_CAUSE } from './causes.ts'
import { inTurns } from './in-turns.ts'
import { lockChecks } from './queries.ts'

/**
 * Brings alerts and checks together: for a database in which checks failed before there were alerts, and for one that
 * was put back from a copy. Afterwards each change of a check carries its alert along.
 */
export async function findForgotten(ctx: Context): Promise<void> {
  const forgotten = [...(await selectFailing(ctx.db).execute()), ...(await selectPassing(ctx.db).execute())]
  for await (const slice of inTurns(forgotten)) {
    const ids = slice.map(({ check_id }) => check_id)
    await ctx.transaction(async (tx, emit) => {
      await lockChecks(tx, ctx.engine, ids)
      const failing = await selectFailing(tx).where('check_results.check_id', 'in', ids).execute()
      const passing = await selectPassing(tx).where('check_results.check_id', 'in', ids).execute()
      const found: CheckFinding[] = [...failing, ...passing].map((result) => ({
        checkId: result.check_id,
        at: new Date(result.failing_since ?? result.last_run),
        severity: result.alert_severity,
        text: result.more_info,
      }))
      await takeCheckFindings({ ctx, tx, emit }, found, 'server')
    })
  }
}

const COLUMNS = [
  'check_results.check_id',
  'check_results.failing_since',
  'check_results.last_run',
  'check_results.alert_severity',
  'check_results.more_info',
] as const

/** Failing checks without an alert of this failure. */
function selectFailing(db: Db) {
  return db
    .selectFrom('check_results')
    .select(COLUMNS)
    .where('alert_severity', 'is not', null)
    .where(
      sql<SqlBool>`not exists (
        select 1 from alerts where alerts.cause = ${CHECK_CAUSE} || cast(check_results.check_id as text)
        and (alerts.open_cause is not null or alerts.alert_time >= check_results.failing_since))`,
    )
}

/** Checks that do not fail and have an open alert. */
function selectPassing(db: Db) {
  return db
    .selectFrom('alerts')
    .innerJoin('check_results', 'check_results.check_id', 'alerts.check_id')
    .select(COLUMNS)
    .where('alerts.open_cause', 'is not', null)
    .where('check_results.alert_severity', 'is', null)
}
