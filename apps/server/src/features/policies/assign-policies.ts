import type { setAssignedPolicies } from '@muster/contract/api/policies'
import type { AssignedPolicies, PolicyPlan } from '@muster/contract/policies/assigned-policies'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { audit } from '../audit/write-audit.ts'
import { requireSite, requireWholeClient } from '../clients/require-node.ts'
import {
  changesFor,
  digestOf,
  listAt,
  type Listed,
  type AssignmentTarget,
  viewAssignment,
} from './assignment-list.ts'
import { refusePlan } from './plan-save.ts'
import { planSet } from './plan-policy.ts'
import { loadPolicySet, type PolicySet, withPolicies } from './policy-set.ts'
import { refusePolicyRuns } from './refuse-policy-runs.ts'
import { requirePolicy, requireWholePolicy } from './require-policy.ts'
import { writeChange } from './save-policy.ts'
import { emitTargets, openSave, type Save } from './store-save.ts'

type Params = Parsed<typeof setAssignedPolicies>['params']
type Body = Parsed<typeof setAssignedPolicies>['body']

export async function readAssignment(db: Db, caller: Caller, params: Params): Promise<AssignedPolicies> {
  const { target, name } = await requireTarget(db, caller, params)
  return viewAssignment(await loadPolicySet(db), target, name)
}

/** The effect of this list at the target. */
export async function planAssignment(
  { db }: Pick<Context, 'db'>,
  caller: Caller,
  { params, policies: wanted }: { params: Params; policies: readonly Listed[] },
): Promise<PolicyPlan> {
  const { target } = await requireTarget(db, caller, params)
  const set = await loadPolicySet(db)
  await requireListed(db, caller, set, wanted)
  const { changed, moved } = changesFor(set, target, wanted)
  for (const { id, document } of changed) {
    const before = await requireWholePolicy(db, caller, set, id)
    await refusePolicyRuns(db, caller, { set, before, document })
  }
  const touched = [...changed, ...moved]
  return planSet(db, caller, {
    set,
    later: withPolicies(set, touched),
    policies: new Set(touched.map(({ id }) => id)),
    what: [params, wanted, listAt(set, target), touched.map(({ row }) => row?.modified)],
  })
}

/** Assigns these policies to a target, in this order. Each policy that gains or loses the target gets a new version. */
export async function assignPolicies(
  ctx: Context,
  caller: Caller,
  { params, body }: { params: Params; body: Body },
): Promise<void> {
  const { policies: wanted, plan } = body
  const before = await loadPolicySet(ctx.db)
  if (plan !== undefined) {
    const { token } = await planAssignment(ctx, caller, { params, policies: wanted })
    if (token !== plan) refusePlan()
  }
  await ctx.transaction(async (tx, emit) => {
    const save = await openSave({ ctx, tx, emit, caller }, plan === undefined ? undefined : before.state)
    await assignAt(save, params, body)
  })
}

/** Runs within a transaction that holds the policies. */
export async function assignAt(
  save: Save,
  params: Params,
  { policies: wanted, modified }: { policies: readonly Listed[]; modified?: string | undefined },
): Promise<void> {
  const { ctx, tx, emit, caller, set } = save
  const { target, name } = await requireTarget(tx, caller, params)
  await requireListed(tx, caller, set, wanted)
  const known = listAt(set, target)
  if (modified !== undefined && modified !== digestOf(known)) {
    throw new AppError(
      'changed_meanwhile',
      'The assignment was changed by another user. Reload it and try again.',
    )
  }
  const { changed, moved } = changesFor(set, target, wanted)
  const where = name === '' ? 'all machines' : `the ${WORDS[target.level]} "${name}"`
  for (const { id, document } of changed) {
    const policy = await requireWholePolicy(tx, caller, set, id)
    const isAssigned = wanted.some((one) => one.id === id)
    const reason = isAssigned ? `Assigned to ${where}` : `No longer assigned to ${where}`
    await writeChange(save, policy, { document, reason })
  }
  await reorderPolicies(tx, target, wanted)
  if (changed.length === 0 && digestOf(known) === digestOf(wanted)) return
  const nameOf = ({ id }: Listed) => set.policies.get(id)?.document.name
  await audit(tx, {
    caller,
    action: 'modify',
    object_type: target.level === 'default' ? 'policy' : target.level,
    message: `Changed the policies of ${where}`,
    before: { policies: known.map(nameOf) },
    after: { policies: wanted.map(nameOf) },
    ...auditTarget(target),
    at: ctx.now(),
    emit,
  })
  emit({ type: 'policy.changed', ids: [...changed, ...moved].map(({ id }) => id) })
  emitTargets(emit, target.level === 'agent' ? [target] : [])
}

const WORDS = { client: 'client', site: 'site', agent: 'machine', default: '' } as const

function auditTarget(target: AssignmentTarget) {
  switch (target.level) {
    case 'client':
      return { client: { id: target.id } }
    case 'site':
      return { site: { id: target.id } }
    case 'agent':
      return { agent: { agent_id: target.id } }
    case 'default':
      return {}
  }
}

/** Returns the target with its name. Throws if the caller may not change its policies. */
export async function requireTarget(
  db: Db,
  caller: Caller,
  { level, id }: Params,
): Promise<{ target: AssignmentTarget; name: string }> {
  switch (level) {
    case 'client': {
      const client = await requireWholeClient(db, numberOf(id), caller)
      return { target: { level, id: client.id }, name: client.name }
    }
    case 'site': {
      const site = await requireSite(db, numberOf(id), caller)
      return { target: { level, id: site.id }, name: site.name }
    }
    case 'agent': {
      const { agent_id, hostname } = await requireAgent(db, id, caller)
      return { target: { level, id: agent_id }, name: hostname }
    }
    case 'default': {
      if (caller.scope.all) return { target: { level }, name: '' }
      throw new AppError(
        'not_allowed',
        'Only users with access to every client may assign a policy to all machines.',
      )
    }
  }
}

function numberOf(id: string): number {
  return /^\d{1,9}$/.test(id) ? Number(id) : 0
}

async function requireListed(
  db: Db,
  caller: Caller,
  set: PolicySet,
  wanted: readonly Listed[],
): Promise<void> {
  const seen = new Set<string>()
  for (const [index, { id, monitoring_type }] of wanted.entries()) {
    await requirePolicy(db, caller, set, id)
    const key = `${id} ${monitoring_type}`
    if (seen.has(key)) {
      const sentence = 'The same policy is listed twice. Remove one.'
      throw new AppError('invalid', sentence, { fields: { [`policies.${index}.id`]: [sentence] } })
    }
    seen.add(key)
  }
}

/** Sets the order of the policies of a target. */
async function reorderPolicies(tx: Db, target: AssignmentTarget, order: readonly Listed[]): Promise<void> {
  for (const [index, { id, monitoring_type }] of order.entries()) {
    await tx
      .updateTable('policy_targets')
      .set({ position: index + 1 })
      .where('policy_id', '=', id)
      .where('level', '=', target.level)
      .$if(target.level === 'client', (query) => query.where('client_id', '=', Number(idOf(target))))
      .$if(target.level === 'site', (query) => query.where('site_id', '=', Number(idOf(target))))
      .$if(target.level === 'agent', (query) => query.where('agent_id', '=', idOf(target)))
      .where('monitoring_type', monitoring_type === null ? 'is' : '=', monitoring_type)
      .execute()
  }
}

function idOf(target: AssignmentTarget): string {
  return 'id' in target ? `${target.id}` : ''
}
