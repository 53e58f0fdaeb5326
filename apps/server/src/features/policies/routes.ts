import { turnOnAvailability } from '@muster/contract/api/agents'
import {
  blockInheritance,
  createPolicy,
  deletePolicy,
  editPolicy,
  getEffectivePolicy,
  getPolicy,
  getPolicyOverview,
  listAssignedPolicies,
  listPolicies,
  listPolicyChecks,
  listPolicyCheckStatus,
  listPolicyRelations,
  listPolicyTasks,
  listPolicyTaskStatus,
  listPolicyVersions,
  planAssignedPolicies,
  planPolicy,
  revertPolicy,
  runPolicyTask,
  setOwnSettings,
  setAssignedPolicies,
} from '@muster/contract/api/policies'
import type { PolicyOverview } from '@muster/contract/policies/assigned-policies'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import { AGENT_SETTING_NAMES, type ItemSource } from '@muster/rules/policies/policy-merge'
import type { EffectiveItem, EffectivePolicy, PolicySource } from '@muster/contract/policies/effective-policy'
import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { type Api, route } from '../../platform/http/route.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { runPolicyTaskNow } from '../tasks/run-now.ts'
import type { Db } from '../../platform/database/database.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import { laterThan, lockRow } from '../../platform/database/change-row.ts'
import { audit } from '../audit/write-audit.ts'
import { readSources } from '../agents/availability.ts'
import { assignPolicies, planAssignment, readAssignment } from './assign-policies.ts'
import { applyPolicies } from './apply-policies.ts'
import { setInheritance } from './block-inheritance.ts'
import { planSave } from './plan-save.ts'
import {
  readCheckStatus,
  readPolicyChecks,
  readPolicyTasks,
  readTaskStatus,
  requireItem,
} from './policy-items.ts'
import { loadPolicySet, type PolicySet } from './policy-set.ts'
import { addPolicy, changePolicy, removePolicy, revertPolicy as revert } from './save-policy.ts'
import { listVisiblePolicies, viewPolicy, viewRelations, viewVersions } from './view.ts'
import { findNodePolicies } from './node-policies.ts'
import { viewAssignment } from './assignment-list.ts'
import { KINDS } from './kinds/table.ts'
import { findMachines } from './machines.ts'
import { turnOnAvailabilityAlerts } from './turn-on-availability.ts'

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
  route(api, listAssignedPolicies, ({ params, caller }) => readAssignment(db, caller, params))
  route(api, planAssignedPolicies, ({ params, body, caller }) =>
    planAssignment(ctx, caller, { params, policies: body.policies }),
  )
  route(api, setAssignedPolicies, async ({ params, body, caller }) => {
    await assignPolicies(ctx, caller, { params, body })
    return readAssignment(db, caller, params)
  })
  route(api, blockInheritance, async ({ body, caller }) => {
    await setInheritance(ctx, caller, body)
    return null
  })
  route(api, turnOnAvailability, ({ caller }) => turnOnAvailabilityAlerts(ctx, caller))
  route(api, setOwnSettings, async ({ params, body, caller }) => {
    await changeOwnSettings(ctx, caller, { agentId: params.agent_id, values: body })
    await applyPolicies(ctx, [params.agent_id])
    return readEffectivePolicy(db, params.agent_id)
  })
}

const byName = new Intl.Collator('en', { numeric: true })

/** Clients and sites by name, each with its assignments. */
async function readOverview(db: Db, caller: Caller): Promise<PolicyOverview> {
  const set = await loadPolicySet(db)
  const first = await findNodePolicies(db)
  const rows = await db
    .selectFrom('sites')
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .select(['sites.id', 'sites.name', 'sites.client_id', 'clients.name as client_name'])
    .where(visibleTo(caller))
    .execute()
  const sites = rows.toSorted((a, b) => byName.compare(a.name, b.name))
  return Array.from(
    Map.groupBy(sites, ({ client_id }) => client_id),
    ([id, group]) => ({
      id,
      name: group[0]?.client_name ?? '',
      ...first.ofClient(id),
      policies: viewAssignment(set, { level: 'client', id }, '').policies,
      sites: group.map((site) => ({
        id: site.id,
        name: site.name,
        ...first.ofSite(site.id),
        policies: viewAssignment(set, { level: 'site', id: site.id }, '').policies,
      })),
    }),
  ).toSorted((a, b) => byName.compare(a.name, b.name))
}

/** Sets own settings of a machine, or removes them in favour of its policies and the defaults. */
async function changeOwnSettings(
  ctx: Context,
  caller: Caller,
  { agentId, values }: { agentId: string; values: Parsed<typeof setOwnSettings>['body'] },
): Promise<void> {
  await ctx.transaction(async (tx, emit) => {
    await lockRow(tx, 'agents', 'agent_id', agentId)
    const agent = await requireAgent(tx, agentId, caller)
    const before = readSources(agent)
    const after = { ...before }
    for (const name of AGENT_SETTING_NAMES) {
      const value = values[name]
      // `given` lets the next resolution set it, with or without a policy value.
      if (value !== undefined) {
        after[name] = { own: value === null ? undefined : Number(value), given: true }
      }
    }
    const offline = after.offline_time?.own ?? agent.offline_time
    const overdue = after.overdue_time?.own
    if (overdue !== undefined && overdue <= offline) {
      throw new AppError('invalid', 'Overdue must come later than offline.', {
        fields: { overdue_time: [`Enter more than the ${offline} minutes of "offline".`] },
      })
    }
    await tx
      .updateTable('agents')
      .set({ setting_sources: JSON.stringify(after), modified: laterThan(agent.modified, ctx.now()) })
      .where('agent_id', '=', agentId)
      .execute()
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'agent',
      message: `Changed the own settings of the machine "${agent.hostname}"`,
      before: Object.fromEntries(AGENT_SETTING_NAMES.map((name) => [name, before[name]?.own ?? null])),
      after: values,
      agent,
      at: ctx.now(),
      emit,
    })
    emit({ type: 'agent.changed', ids: [agentId], agent_ids: [agentId] })
  })
}

/** The effective items of a machine, their origin, and what they override. For visible machines only. */
async function readEffectivePolicy(db: Db, agentId: string): Promise<EffectivePolicy> {
  const set = await loadPolicySet(db)
  const [machine] = await findMachines(db, { agentIds: [agentId], withText: set.hasSearches })
  if (machine === undefined) throw new Error(`Machine ${agentId} was deleted while its policies were read`)
  const chain = set.chainOf(machine)
  const items: EffectiveItem[] = []
  const unfit: EffectivePolicy['unfit'] = []
  for (const kind of KINDS) {
    for (const resolved of await kind.resolve(db, set, [{ machine, chain }])) {
      const rowIds = await kind.findRowIds?.(db, resolved)
      for (const { key, value, source, overrode } of resolved.effective) {
        items.push({
          kind: kind.name,
          key,
          what: value.what,
          ...idsOf(kind.name, source.own ? value.row_id : (rowIds?.get(key) ?? null)),
          source: viewSource(set, source),
          overrode: overrode.map((loser) => ({
            what: loser.value.what,
            ...idsOf(kind.name, loser.value.row_id),
            source: viewSource(set, loser.source),
            lost: loser.lost,
          })),
        })
      }
      for (const { what, policy, why } of resolved.unfit) {
        const level = chain.find((link) => link.policy === policy && link.outcome === 'applies')?.assignment
          .level
        if (level === undefined) continue
        unfit.push({ kind: kind.name, what, source: viewSource(set, { own: false, policy, level }), why })
      }
    }
  }
  return {
    agent_id: machine.agent_id,
    hostname: machine.hostname,
    client_name: machine.client_name,
    site_name: machine.site_name,
    monitoring_type: machine.monitoring_type,
    blocks: machine.blocks,
    chain: chain.map(({ policy, assignment, outcome }) => ({
      policy,
      policy_name: nameOf(set, policy),
      enforced: set.policies.get(policy)?.document.enforced ?? false,
      level: assignment.level,
      search: assignment.level === 'search' ? assignment.search : null,
      monitoring_type: 'monitoring_type' in assignment ? assignment.monitoring_type : null,
      outcome,
    })),
    items,
    unfit,
  }
}

function idsOf(kind: EffectiveItem['kind'], rowId: number | null) {
  return { check_id: kind === 'checks' ? rowId : null, task_id: kind === 'tasks' ? rowId : null }
}

function viewSource(set: PolicySet, source: ItemSource): PolicySource {
  if (source.own) return source
  const { policy, level } = source
  return { own: false, policy, policy_name: nameOf(set, policy), level }
}

function nameOf(set: PolicySet, policyId: number): string {
  return set.policies.get(policyId)?.document.name ?? ''
}
