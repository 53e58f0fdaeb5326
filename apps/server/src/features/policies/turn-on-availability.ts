import type { Context } from '../../context.ts'
import { chunk } from '../../platform/database/sql.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { readSources } from '../agents/availability.ts'
import { isWatched, overdueAt } from '../alerts/overdue.ts'
import { audit } from '../audit/write-audit.ts'
import { findEnforced } from './enforced-settings.ts'

/** Turns on overdue alerts of overdue machines that raise none. Their alerts open with the next sweep. */
export async function turnOnAvailabilityAlerts(
  ctx: Context,
  caller: Caller,
): Promise<{ changed: number; enforced: number }> {
  return ctx.transaction(async (tx, emit) => {
    const now = ctx.now().toISOString()
    const found = await tx
      .selectFrom('agents')
      .innerJoin('sites', 'sites.id', 'agents.site_id')
      .select(['agents.agent_id', 'agents.hostname', 'agents.setting_sources'])
      .where('agents.connected', '=', 0)
      .where('agents.maintenance_mode', '=', 0)
      .where(overdueAt(ctx.engine, now))
      .where((eb) => eb.not(isWatched))
      .where(visibleTo(caller))
      .orderBy('agents.id')
      .execute()
    const enforced = await findEnforced(tx, found, ['overdue_dashboard_alert'])
    const changed = found.filter(({ agent_id }) => !enforced.has(agent_id))
    for (const { agent_id, setting_sources } of changed) {
      const sources = readSources({ setting_sources })
      sources.overdue_dashboard_alert = { ...sources.overdue_dashboard_alert, own: 1 }
      await tx
        .updateTable('agents')
        .set({ overdue_dashboard_alert: 1, setting_sources: JSON.stringify(sources), modified: now })
        .where('agent_id', '=', agent_id)
        .execute()
    }
    const ids = changed.map(({ agent_id }) => agent_id)
    if (ids.length > 0) {
      await audit(tx, {
        caller,
        action: 'bulk_action',
        object_type: 'agent',
        message: `Turned on availability alerts of ${ids.length} overdue ${ids.length === 1 ? 'machine' : 'machines'}`,
        after: { availability_alerts: 'on', machines: changed.map(({ hostname }) => hostname) },
        emit,
      })
      for (const slice of chunk(ids)) emit({ type: 'agent.changed', ids: slice, agent_ids: slice })
    }
    return { changed: ids.length, enforced: enforced.size }
  })
}
