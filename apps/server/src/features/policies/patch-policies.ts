import { setOwnPatchPolicy } from '@muster/contract/api/patches'
import {
  createPatchPolicy,
  deletePatchPolicy,
  editPatchPolicy,
  resetPatchPolicies,
  type WinUpdatePolicy,
} from '@muster/contract/api/policies'
import { NO_PATCH_POLICY } from '@muster/contract/policies/patch-policy'
import type { WinUpdateFields } from '@muster/contract/policies/win-update-policy'
import type { Context } from '../../context.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { setOwnPolicy } from '../patches/policy/set-own-policy.ts'
import { viewMachinePolicy } from '../patches/policy/view-policy.ts'
import { readWinUpdate } from '../patches/policy/win-update-policy.ts'
import { applyPolicies } from './apply-policies.ts'
import { loadPolicySet } from './policy-set.ts'
import { requirePolicy } from './require-policy.ts'
import { changePolicy } from './save-policy.ts'

/** The patch part of policies under the names of other products, and the own patch policy of machines. */
export function patchPolicyRoutes(api: Api, ctx: Context): void {
  const save = async (caller: Caller, id: number, fields: WinUpdateFields): Promise<WinUpdatePolicy> => {
    const { patches } = await contentOf(ctx, caller, id)
    const { email_if_fail } = fields
    const { approval, schedule, reboot } = readWinUpdate(fields)
    const content = {
      patches: {
        ...patches,
        approval: {
          ...approval,
          categories: patches.approval?.categories ?? [],
          ignore: patches.approval?.ignore ?? [],
        },
        schedule: { ...schedule, late_hours: patches.schedule?.late_hours ?? schedule.late_hours },
        reboot: { ...reboot, message: patches.reboot?.message ?? '' },
        alert: email_if_fail === undefined ? patches.alert : { on_failure: email_if_fail },
      },
    }
    await changePolicy(ctx, caller, { id, body: { content, reason: '' } })
    return { id, policy: id, ...fields }
  }

  route(api, createPatchPolicy, ({ body: { policy, ...fields }, caller }) => save(caller, policy, fields))

  route(api, editPatchPolicy, ({ params: { id }, body, caller }) => save(caller, id, body))

  route(api, deletePatchPolicy, async ({ params: { id }, caller }) => {
    await contentOf(ctx, caller, id)
    await changePolicy(ctx, caller, { id, body: { content: { patches: NO_PATCH_POLICY }, reason: '' } })
    return null
  })

  route(api, resetPatchPolicies, async ({ body, caller }) => {
    const agents = await ctx.db
      .selectFrom('machine_patch_policies')
      .innerJoin('agents', 'agents.id', 'machine_patch_policies.agent')
      .innerJoin('sites', 'sites.id', 'agents.site_id')
      .select(['agents.id', 'agents.agent_id', 'agents.hostname'])
      .where('own', '<>', '{}')
      .where(visibleTo(caller))
      .$if(body.client !== undefined, (query) => query.where('sites.client_id', '=', body.client ?? 0))
      .$if(body.site !== undefined, (query) => query.where('sites.id', '=', body.site ?? 0))
      .orderBy('agents.id')
      .execute()
    for (const agent of agents) await setOwnPolicy(ctx, caller, { agent, sections: NO_PATCH_POLICY })
    await applyPolicies(
      ctx,
      agents.map(({ agent_id }) => agent_id),
    )
    return { machines: agents.length }
  })

  route(api, setOwnPatchPolicy, async ({ params, body, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    await setOwnPolicy(ctx, caller, { agent, sections: body })
    await applyPolicies(ctx, [agent.agent_id])
    return viewMachinePolicy(ctx.db, agent.id, ctx.now())
  })
}

async function contentOf(ctx: Context, caller: Caller, id: number) {
  return (await requirePolicy(ctx.db, caller, await loadPolicySet(ctx.db), id)).document.content
}
