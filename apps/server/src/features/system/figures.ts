import type { Context } from '../../context.ts'
import type { Metrics } from '../../platform/http/metrics.ts'

/** Gauges of database queues, for `/metrics`. */
export function registerFigures(metrics: Metrics, { db, now }: Context): void {
  metrics.gauge('muster_jobs_waiting', 'Due jobs that have not run', async () => {
    const { count } = await db
      .selectFrom('jobs')
      .where('done_at', 'is', null)
      .where('due_at', '<=', now().toISOString())
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  })
  metrics.gauge('muster_runs_open', 'Commands and scripts that have not ended', async () => {
    const { count } = await db
      .selectFrom('agent_history')
      .where('state', 'in', ['queued', 'sent', 'accepted', 'running'])
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  })
}
