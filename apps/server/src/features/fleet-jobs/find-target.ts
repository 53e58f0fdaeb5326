import type { AgentRow } from '@muster/contract/api/agents'
import type { JobDraft } from '@muster/contract/fleet-jobs/job-draft'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { findMatchingAgents } from '../agents/search/find-matching-agents.ts'
import { requireNode } from '../clients/require-node.ts'
import { findTag } from '../tags/queries.ts'

type Target = Pick<JobDraft, 'target' | 'monitoring_type' | 'plat'>

/**
 * The machines of a target that the caller may see. Throws if a named machine, client, site or tag does not exist or is not
 * visible, so a target never reaches beyond the caller's scope.
 */
export async function findTarget(
  ctx: Context,
  fleet: Fleet,
  caller: Caller,
  { target, monitoring_type, plat }: Target,
): Promise<AgentRow[]> {
  const found = await findRows()
  return found.filter(
    (row) =>
      (monitoring_type === null || row.monitoring_type === monitoring_type) &&
      (plat === null || row.plat === plat),
  )

  async function findRows(): Promise<AgentRow[]> {
    switch (target.by) {
      case 'all':
        return fleet.rows.list(caller, {})
      case 'client':
        await requireNode(ctx.db, { type: 'Client', id: target.id }, caller)
        return fleet.rows.list(caller, { client: target.id })
      case 'site':
        await requireNode(ctx.db, { type: 'Site', id: target.id }, caller)
        return fleet.rows.list(caller, { site: target.id })
      case 'tag': {
        const tag = await findTag(ctx.db, target.id)
        const rows = tag === undefined ? [] : await fleet.rows.list(caller, {})
        const tagged = rows.filter(({ tags }) => tags.includes(tag?.name ?? ''))
        // A limited caller knows the tags of visible machines only.
        if (tag === undefined || (tagged.length === 0 && !caller.scope.all))
          throw new AppError('not_found', 'This tag does not exist, or you may not see it.')
        return tagged
      }
      case 'search':
        return (await findMatchingAgents(ctx, fleet, caller, { search: target.search })).rows
      case 'agents': {
        const ids = new Set(target.agents)
        const rows = (await fleet.rows.list(caller, {})).filter(({ agent_id }) => ids.has(agent_id))
        if (rows.length < ids.size)
          throw new AppError('not_found', 'One of these machines does not exist, or you may not see it.')
        return rows
      }
    }
  }
}
