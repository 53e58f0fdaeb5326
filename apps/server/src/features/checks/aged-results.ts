import { FRESH_INTERVALS } from '@muster/rules/checks/check-freshness'
import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Context } from '../../context.ts'

/** Requires `checks` and its machine as `agents` in the query. */
const intervalSeconds = sql<number>`(case when checks.run_interval = 0 then agents.check_interval else checks.run_interval end)`
const freshUntil = sql<number>`(check_results.ran_at + ${sql.lit(FRESH_INTERVALS)} * ${intervalSeconds})`

/** True for a pass that is too old by rules/checks/check-freshness.ts. `agents` must be in the query. */
export function isOldPass(now: Date): RawBuilder<SqlBool> {
  return sql<SqlBool>`(check_results.status = 'passing' and ${freshUntil} < ${secondsOf(now)})`
}

/** Machines per step: some thousand results, a few milliseconds. */
const STEP = 400

/**
 * Emits events for machines whose results became old since this time (Unix seconds). Nothing is written: time alone
 * changes their state, so their rows and counts are read again. Returns the time up to which it checked.
 */
export async function emitAgedResults(ctx: Context, since: number, signal: AbortSignal): Promise<number> {
  const now = secondsOf(ctx.now())
  let afterId = 0
  for (;;) {
    const machines = await ctx.db
      .selectFrom('agents')
      .select(['id', 'agent_id'])
      .where('id', '>', afterId)
      .orderBy('id')
      .limit(STEP)
      .execute()
    const last = machines.at(-1)
    if (signal.aborted) return since
    if (last === undefined) return now
    const aged = await ctx.db
      .selectFrom('checks')
      .innerJoin('agents', 'agents.agent_id', 'checks.agent_id')
      .innerJoin('check_results', 'check_results.check_id', 'checks.id')
      .where(
        'checks.agent_id',
        'in',
        machines.map(({ agent_id }) => agent_id),
      )
      .where('check_results.status', '=', 'passing')
      .where('checks.overridden_by', 'is', null)
      .where(sql<SqlBool>`${freshUntil} between ${since} and ${now - 1}`)
      .select('agents.agent_id')
      .distinct()
      .execute()
    const ids = aged.map(({ agent_id }) => agent_id)
    if (ids.length > 0) ctx.emit({ type: 'agent.changed', ids, agent_ids: ids, passing: true })
    afterId = last.id
    // SQLite is synchronous: other requests run in between.
    await new Promise(setImmediate)
  }
}

const secondsOf = (at: Date) => Math.floor(at.getTime() / 1000)
