import { alwaysWatches, belongsInBell } from '@muster/rules/alerts/alert-template'
import { randomUUID } from 'node:crypto'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import { chunk } from '../../../platform/database/sql.ts'
import { findNotifiedAlerts, type NotifiedRow } from '../channels/notice-queries.ts'
import { openTemplateResolver, type TemplateResolver } from './template-resolver.ts'

export const APPLY_JOB = 'alert-templates.apply'

/** Applies template changes after this transaction. */
export async function enqueueApply({ jobs }: Pick<Context, 'jobs'>, tx: Db): Promise<void> {
  await jobs.enqueue(APPLY_JOB, null, { id: `${APPLY_JOB}-${randomUUID()}`, db: tx })
}

/**
 * Updates the overdue flags of machines and the bell flags of open alerts from their templates. Also runs every minute,
 * because machines are added and moved.
 */
export async function applyTemplates(ctx: Context): Promise<void> {
  const book = await openTemplateResolver(ctx.db)
  const machines = await ctx.db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .select(['agents.agent_id', 'agents.monitoring_type', 'sites.id as place_id', 'clients.id as client_id'])
    .select(['agents.alert_template_id as agent_template', 'sites.alert_template_id as site_template'])
    .select(['clients.alert_template_id as client_template', 'agents.overdue_by_template'])
    .select('agents.policy_templates')
    .$if(book.isEmpty, (query) => query.where('agents.overdue_by_template', '=', 1))
    .execute()
  const wrong = machines.filter((machine) => {
    const { applies } = book.resolve(machine)
    const isWatched = applies !== undefined && alwaysWatches(applies.settings)
    return isWatched !== (machine.overdue_by_template === 1)
  })
  for (const flag of [0, 1] as const) {
    const ids = wrong
      .filter((machine) => machine.overdue_by_template !== flag)
      .map(({ agent_id }) => agent_id)
    for (const slice of chunk(ids)) {
      await ctx.db
        .updateTable('agents')
        .set({ overdue_by_template: flag })
        .where('agent_id', 'in', slice)
        .execute()
    }
  }
  const open = await ctx.db
    .selectFrom('alerts')
    .select(['id'])
    .where('open_cause', 'is not', null)
    .$if(book.isEmpty, (query) => query.where('in_bell', '=', 0))
    .execute()
  for (const slice of chunk(open.map(({ id }) => id))) {
    await ctx.transaction(async (tx, emit) => {
      const changed = await markBell(tx, book, await findNotifiedAlerts(tx, slice))
      if (changed.length > 0) emit({ type: 'alert.changed', ids: [] })
    })
  }
}

/** Hides alerts from the bell as their templates ask. Returns the changed alerts. */
export async function markBell(
  tx: Db,
  book: TemplateResolver,
  alerts: readonly NotifiedRow[],
): Promise<number[]> {
  const changed: number[] = []
  for (const alert of alerts) {
    const in_bell = belongsInBell(book.ask(alert)?.choices, alert.severity) ? 1 : 0
    if (in_bell === alert.in_bell) continue
    await tx.updateTable('alerts').set({ in_bell }).where('id', '=', alert.id).execute()
    changed.push(alert.id)
  }
  return changed
}
