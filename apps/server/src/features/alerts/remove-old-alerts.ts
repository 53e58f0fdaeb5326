import type { Context } from '../../context.ts'

/** Resolved alerts are kept for a year. */
const KEPT_MS = 365 * 86_400_000
const SLICE = 500

/** Forgets what was resolved long ago, with its log. In short transactions, since nobody else writes meanwhile. */
export async function removeOldAlerts(ctx: Context, signal: AbortSignal): Promise<void> {
  const before = new Date(ctx.now().getTime() - KEPT_MS).toISOString()
  for (;;) {
    signal.throwIfAborted()
    const old = await ctx.db
      .selectFrom('alerts')
      .select('id')
      .where('state', '=', 'resolved')
      // What began later was not resolved before; this is what the index knows.
      .where('alert_time', '<', before)
      .where('resolved_on', '<', before)
      .limit(SLICE)
      .execute()
    if (old.length === 0) return
    await ctx.db
      .deleteFrom('alerts')
      .where(
        'id',
        'in',
        old.map(({ id }) => id),
      )
      .execute()
    await new Promise(setImmediate)
  }
}
