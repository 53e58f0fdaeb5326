import type { Context } from '../../context.ts'
import { takeCheckFindings } from './check-alerts.ts'
import { inTurns } from './in-turns.ts'
import { lockChecks } from './queries.ts'
import type { Scene } from './store-lives.ts'

/** Raises alerts anew that a person resolved while their checks failed, once the check has failed again. */
export async function raiseAgain(ctx: Context): Promise<void> {
  const waiting = await selectRun(ctx.db).select(['alerts.id', 'alerts.check_id']).execute()
  for await (const slice of inTurns(waiting)) {
    await ctx.transaction((tx, emit) => raise({ ctx, tx, emit }, slice))
  }
}

async function raise(scene: Scene, waiting: { id: number; check_id: number | null }[]): Promise<void> {
  const { ctx, tx } = scene
  const ids = waiting.map(({ id }) => id)
  await lockChecks(
    tx,
    ctx.engine,
    waiting.flatMap(({ check_id }) => check_id ?? []),
  )
  const run = await selectRun(tx)
    .select(['alerts.id', 'alerts.check_id', 'last_run', 'alert_severity', 'more_info'])
    .where('alerts.id', 'in', ids)
    .orderBy('alerts.id')
    .$if(ctx.engine === 'postgres', (query) => query.forUpdate('alerts').skipLocked())
    .execute()
  if (run.length === 0) return
  await tx
    .updateTable('alerts')
    .set({ look_after: null })
    .where(
      'id',
      'in',
      run.map(({ id }) => id),
    )
    .execute()
  const failing = run.flatMap(({ check_id, last_run, alert_severity, more_info }) =>
    check_id === null || last_run === null || alert_severity === null
      ? []
      : [{ checkId: check_id, at: new Date(last_run), severity: alert_severity, text: more_info ?? '' }],
  )
  await takeCheckFindings(scene, failing, 'server')
}

/** Resolved alerts that wait for their check, and whose check has run, or is gone. */
function selectRun(db: Scene['tx']) {
  return db
    .selectFrom('alerts')
    .leftJoin('check_results', 'check_results.check_id', 'alerts.check_id')
    .where('alerts.look_after', 'is not', null)
    .where('alerts.open_cause', 'is', null)
    .where((eb) =>
      eb.or([
        eb('alerts.check_id', 'is', null),
        eb('check_results.last_run', '>', eb.ref('alerts.look_after')),
      ]),
    )
}
