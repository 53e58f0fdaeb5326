import {
  createCheck,
  deleteCheck,
  editCheck,
  getCheck,
  getCheckHistory,
  getCheckSamples,
  listAgentChecks,
  listChecks,
  resetAllChecks,
  resetCheck,
  runChecks,
  runNodeChecks,
} from '@muster/contract/api/checks'
import type { Context } from '../../context.ts'
import { addPolicyItem, ownerOf } from '../policies/add-policy-item.ts'
import { type Api, route } from '../../platform/http/route.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { addCheck } from './add-check.ts'
import { changeCheck } from './change-check.ts'
import { findChecks } from './queries.ts'
import { removeCheck } from './remove-check.ts'
import { requireCheck } from './require-check.ts'
import { resetAll, resetOne } from './reset-checks.ts'
import { graphCheck } from '../../samples/graph-check.ts'
import { readHistory } from '../../samples/read-history.ts'
import { runNow, runNowBelow } from './run-now.ts'
import { viewCheck } from './view.ts'

export function checksRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(api, listAgentChecks, async ({ params, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    return (await findChecks(ctx.db, caller, agent.agent_id)).map(viewCheck)
  })
  route(api, listChecks, async ({ caller }) => (await findChecks(ctx.db, caller)).map(viewCheck))
  route(api, createCheck, async ({ body: { agent, policy, ...check }, caller }) => {
    const owner = ownerOf({ agent, policy })
    if ('agent' in owner) return viewCheck(await addCheck(ctx, caller, { ...check, ...owner }))
    return addPolicyItem(ctx, caller, {
      policyId: owner.policy,
      added: { kind: 'checks', item: { ...check, depends_on: check.depends_on ?? undefined } },
    })
  })
  route(api, getCheck, async ({ params, caller }) => viewCheck(await requireCheck(ctx.db, caller, params.id)))
  route(api, editCheck, async ({ params, body, caller }) =>
    viewCheck(await changeCheck(ctx, caller, params.id, body)),
  )
  route(api, deleteCheck, async ({ params, caller }) => {
    await removeCheck(ctx, caller, params.id)
    return null
  })
  route(api, getCheckSamples, async ({ params, query, caller }) =>
    graphCheck(ctx, await requireCheck(ctx.db, caller, params.id), query),
  )
  route(api, getCheckHistory, async ({ params, body, caller }) =>
    readHistory(ctx, await requireCheck(ctx.db, caller, params.id), body.timeFilter),
  )
  route(api, resetCheck, async ({ params, caller }) => viewCheck(await resetOne(ctx, caller, params.id)))
  route(api, resetAllChecks, ({ params, caller }) => resetAll(ctx, caller, params.agent_id))
  route(api, runChecks, async ({ params, body, caller }) => {
    await runNow(ctx, fleet, { caller, agentId: params.agent_id, ids: body.ids })
    return null
  })
  route(api, runNodeChecks, ({ params, caller }) => runNowBelow(ctx, fleet, { caller, node: params }))
}
