import {
  blockInheritance,
  createPolicy,
  deletePolicy,
  editPolicy,
  getEffectivePolicy,
  getPolicy,
  getPolicyOverview,
  listPlacePolicies,
  listPolicies,
  listPolicyChecks,
  listPolicyCheckStatus,
  listPolicyTasks,
  listPolicyTaskStatus,
  runPolicyTask,
  listPolicyRelations,
  listPolicyVersions,
  planPlacePolicies,
  planPolicy,
  revertPolicy,
  setOwnSettings,
  setPlacePolicies,
} from '@muster/contract/api/policies'
import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { type Api, route } from '../../platform/http/route.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { runPolicyTaskNow } from '../tasks/run-now.ts'
import { assignPolicies, planPlace, readPlace } from './assign-policies.ts'
import { applyPolicies } from './apply-policies.ts'
import { setInheritance } from './block-inheritance.ts'
import { readEffectivePolicy } from './effective-policy.ts'
import { changeOwnSettings } from './own-settings.ts'
import { planSave } from './plan-save.ts'
import {
  readCheckStatus,
  readPolicyChecks,
  readPolicyTasks,
  readTaskStatus,
  requireItem,
} from './policy-items.ts'
import { readOverview } from './policy-overview.ts'
import { loadPolicySet } from './policy-set.ts'
import { removePolicy } from './remove-policy.ts'
import { addPolicy, changePolicy, revertPolicy as revert } from './save-policy.ts'
import { listVisiblePolicies, viewPolicy, viewRelations, viewVersions } from './view.ts'

export function automationRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  const { db } = ctx
  const view = async (caller: Caller, id: number) => viewPolicy(db, caller, await loadPolicySet(db), id)
  route(api, listPolicies, async ({ caller }) => listVisiblePolicies(db, caller, await loadPolicySet(db)))
  route(api, getPolicyOverview, ({ caller }) => readOverview(db, caller))
  route(api, createPolicy, async ({ body, caller }) => view(caller, await addPolicy(ctx, caller, body)))
  route(api, getPolicy, ({ params, caller }) => view(caller, params.id))
  route(api, editPolicy, async ({ params, body, caller }) =>
    view(caller, await changePolicy(ctx, caller, { id: params.id, body })),
  )
  route(api, deletePolicy, async ({ params, query, caller }) => {
    await removePolicy(ctx, caller, { id: params.id, plan: query.plan })
    return null
  })
  route(api, planPolicy, ({ body, caller }) => planSave(ctx, caller, body))
  route(api, listPolicyVersions, async ({ params, caller }) =>
    viewVersions(db, caller, await loadPolicySet(db), params.id),
  )
  route(api, revertPolicy, async ({ params, body, caller }) =>
    view(caller, await revert(ctx, caller, { id: params.id, version: body.version, plan: body.plan })),
  )
  route(api, listPolicyRelations, async ({ params, caller }) =>
    viewRelations(db, caller, await loadPolicySet(db), params.id),
  )
  route(api, listPolicyChecks, ({ params, caller }) => readPolicyChecks(ctx, caller, params.id))
  route(api, listPolicyTasks, ({ params, caller }) => readPolicyTasks(db, caller, params.id))
  route(api, listPolicyCheckStatus, ({ params, caller }) => readCheckStatus(db, caller, params.id))
  route(api, listPolicyTaskStatus, ({ params, caller }) => readTaskStatus(db, caller, params.id))
  route(api, runPolicyTask, async ({ params, caller }) =>
    runPolicyTaskNow(ctx, fleet, caller, await requireItem(db, caller, { id: params.id, kind: 'tasks' })),
  )
  route(api, getEffectivePolicy, async ({ params, caller }) => {
    const { agent_id } = await requireAgent(db, params.agent_id, caller)
    return readEffectivePolicy(db, agent_id)
  })
  route(api, listPlacePolicies, ({ params, caller }) => readPlace(db, caller, params))
  route(api, planPlacePolicies, ({ params, body, caller }) =>
    planPlace(ctx, caller, { params, policies: body.policies }),
  )
  route(api, setPlacePolicies, async ({ params, body, caller }) => {
    await assignPolicies(ctx, caller, { params, body })
    return readPlace(db, caller, params)
  })
  route(api, blockInheritance, async ({ body, caller }) => {
    await setInheritance(ctx, caller, body)
    return null
  })
  route(api, setOwnSettings, async ({ params, body, caller }) => {
    await changeOwnSettings(ctx, caller, { agentId: params.agent_id, values: body })
    await applyPolicies(ctx, [params.agent_id])
    return readEffectivePolicy(db, params.agent_id)
  })
}
