import {
  type AgentDetail,
  deleteAgent,
  editAgent,
  getAgent,
  listAgents,
  pingAgent,
  refreshAgent,
  setMaintenance,
} from '@muster/contract/api/agents'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { audit } from '../audit/write-audit.ts'
import { digestOf } from '../../platform/secrets/secrets.ts'
import { type Caller, mayDo } from '../../platform/http/caller.ts'
import { clientHas } from '../../platform/http/etags.ts'
import { pageOf } from '../../platform/http/page.ts'
import { type Api, JsonText, route } from '../../platform/http/route.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { changeAgent, removeAgent, setNodeMaintenance } from './change-agent.ts'
import { findLastUpdate } from './queries.ts'
import { requireAgent, requireWholeAgent } from './require-agent.ts'
import { viewAgentDetail } from './view.ts'

export function agentsRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(api, listAgents, async ({ query, caller, request, reply }) => {
    const { client, site, monitoring_type } = query
    const filter = { client, site, monitoring_type }
    if (query.detail === false) return fleet.rows.listNames(caller, filter)
    const { page, page_size, sort } = query
    if (page !== undefined && query.search === undefined && (sort === 'hostname' || sort === 'worst'))
      return fleet.rows.sortedPage(caller, filter, { page, page_size, sort })
    if (query.page !== undefined || query.search !== undefined || query.sort !== undefined) {
      // Parsing thousands of rows for one page would take longer than anything else.
      return new JsonText(JSON.stringify(pageOf(await fleet.rows.list(caller, filter), query)))
    }
    const tag = `W/"${digestOf(JSON.stringify([fleet.rows.version, ctx.processId, filter, caller.scope])).slice(0, 24)}"`
    reply.header('etag', tag).header('cache-control', 'private, no-cache')
    if (clientHas(tag, request)) {
      reply.code(304)
      return new JsonText('')
    }
    return fleet.rows.listJson(caller, filter)
  })

  route(api, getAgent, ({ params, caller }) => viewDetail(params.agent_id, caller))

  route(api, editAgent, async ({ params, body, caller }) => {
    await changeAgent(ctx, caller, params.agent_id, body)
    // The response includes what follows from global defaults and policies.
    const { availability_alerts, monitoring_type, winupdatepolicy } = body
    if ([availability_alerts, monitoring_type, winupdatepolicy].some((value) => value !== undefined)) {
      await ctx.hooks.applyPolicies(ctx, [params.agent_id])
    }
    return viewDetail(params.agent_id, caller)
  })

  route(api, deleteAgent, ({ params, caller }) => removeAgent(ctx, fleet, caller, params.agent_id))

  route(api, refreshAgent, async ({ params, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    const sent = await fleet.sendAgentCommand(agent.agent_id, 'report-facts', {
      input: {},
      author: caller.username,
    })
    if (!sent)
      throw new AppError('agent_offline', `${agent.hostname} is offline. Try again when it is connected.`)
    await ctx.transaction((tx, emit) =>
      audit(tx, {
        caller,
        action: 'view',
        object_type: 'agent',
        message: `Refreshed the inventory of ${agent.hostname}`,
        agent,
        at: ctx.now(),
        emit,
      }),
    )
    await fleet.nextFacts(agent.agent_id)
    return viewDetail(params.agent_id, caller)
  })

  route(api, pingAgent, async ({ params, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    return {
      name: agent.hostname,
      status: agent.connected === 1 ? ('online' as const) : ('offline' as const),
    }
  })

  route(api, setMaintenance, ({ body, caller }) => setNodeMaintenance(ctx, caller, body))

  async function viewDetail(agentId: string, caller: Caller): Promise<AgentDetail> {
    const agent = await requireWholeAgent(ctx, agentId, caller)
    const mayList = mayDo(caller, 'can_list_automation_policies')
    return viewAgentDetail(agent, ctx.now(), {
      applied: mayList ? await ctx.hooks.findAppliedPolicies(ctx.db, agentId) : [],
      patchPolicies: mayDo(caller, 'can_manage_winupdates')
        ? await ctx.hooks.findPatchPolicies(ctx.db, agent)
        : { winupdatepolicy: [], effective_patch_policy: null },
      update: await findLastUpdate(ctx.db, agentId),
    })
  }
}
