import type { Context } from '../../context.ts'
import { enqueueApply } from '../alerts/templates/apply-templates.ts'
import { writeGiven } from '../alerts/templates/given-templates.ts'
import { givenBy } from './kinds/alert-template.ts'
import { loadPolicySet } from './policy-set.ts'
import { slicesOf } from './queries.ts'

/** Keeps at each site the alert templates that policies name for it as a whole: an alert may belong to no machine. */
export async function applySiteTemplates(ctx: Context): Promise<void> {
  const set = await loadPolicySet(ctx.db)
  const sites = await ctx.db
    .selectFrom('sites')
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .select(['sites.id', 'sites.client_id', 'sites.policy_templates'])
    .select('sites.block_policy_inheritance as blocked_by_site')
    .select('clients.block_policy_inheritance as blocked_by_client')
    .execute()
  const groups = new Map<string, number[]>()
  for (const { id, client_id, policy_templates, blocked_by_site, blocked_by_client } of sites) {
    const chain = set.chainOf({
      agent_id: '',
      site_id: id,
      client_id,
      monitoring_type: null,
      blocks: { agent: false, site: blocked_by_site === 1, client: blocked_by_client === 1 },
      text: () => '',
    })
    // A search looks for machines.
    const given = writeGiven(
      givenBy(
        set,
        chain.filter(({ assignment }) => assignment.level !== 'search'),
      ),
    )
    if (given !== policy_templates) groups.set(given, [...(groups.get(given) ?? []), id])
  }
  for (const [policy_templates, ids] of groups) {
    for (const slice of slicesOf(ids)) {
      await ctx.db.updateTable('sites').set({ policy_templates }).where('id', 'in', slice).execute()
    }
  }
  if (groups.size > 0) await enqueueApply(ctx, ctx.db)
}
