import type { PolicyDocument, PolicyTarget } from '@muster/contract/api/policies'
import type { Event } from '@muster/contract/events'
import { nameCheck } from '@muster/rules/checks/check-name'
import type { Insertable } from 'kysely'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { PolicyTargetsTable } from '../../platform/database/tables/policies.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { checkDocument } from './check-document.ts'
import { markKeyUsesStale } from '../keystore/key-use.ts'
import { refusePlan } from './plan-save.ts'
import { refusePolicyRuns } from './refuse-policy-runs.ts'
import { loadPolicySet, type PolicySet, positionsFor } from './policy-set.ts'
import { insertVersion, lockPolicies, replaceExclusions, replaceTargets, updatePolicy } from './queries.ts'

/** The transaction that saves a policy, with the earlier state. */
export interface Save {
  ctx: Context
  tx: Db
  emit: (event: Event) => void
  caller: Caller
  set: PolicySet
}

export interface Saved {
  id: number
  before: PolicyDocument | undefined
  document: PolicyDocument
  version: number
  reason: string
}

/** `state`: of the policies when the plan was confirmed, if there was a plan. */
export async function openSave(parts: Omit<Save, 'set'>, state: string | undefined): Promise<Save> {
  await lockPolicies(parts.tx)
  const set = await loadPolicySet(parts.tx)
  if (state !== undefined && state !== set.state) refusePlan()
  return { ...parts, set }
}

/**
 * Stores everything that belongs to a saved row: targets, exclusions, history, audit row. Machines follow after the
 * commit. Returns the id of the policy.
 */
export async function storeSave(save: Save, saved: Saved): Promise<number> {
  const { ctx, tx, emit, caller, set } = save
  const { id, before, version, reason } = saved
  const known = before === undefined ? undefined : set.policies.get(id)
  const author_id = await refusePolicyRuns(tx, caller, { set, before: known, document: saved.document })
  const document = await checkDocument({ ctx, db: tx, caller, set, before }, saved.document)
  await updatePolicy(tx, id, { author_id })
  // On existing machines keys are read with the role of the new author.
  if (known !== undefined && known.row?.author_id !== author_id) await markKeyUsesStale(ctx, tx, emit)
  await storeTargets(tx, id, { document, positions: positionsFor(set, id, document) })
  const at = ctx.now()
  await insertVersion(tx, {
    policy_id: id,
    version,
    at: at.toISOString(),
    by_user: caller.username,
    reason,
    document: JSON.stringify(document),
  })
  await audit(tx, {
    caller,
    action: before === undefined ? 'add' : 'modify',
    object_type: 'policy',
    message: `${before === undefined ? 'Added' : 'Changed'} the policy "${document.name}"${reason === '' ? '' : `: ${reason}`}`,
    ...(before === undefined ? {} : { before: documentForAudit(before, set) }),
    after: documentForAudit(document, set),
    at,
    emit,
  })
  emit({ type: 'policy.changed', ids: [id] })
  emitTargets(emit, [...(before?.targets ?? []), ...document.targets])
  return id
}

/** Rows of machines, clients and sites show their policies. */
export function emitTargets(emit: (event: Event) => void, targets: readonly PolicyTarget[]): void {
  const agents = new Set(targets.flatMap((target) => (target.level === 'agent' ? [target.id] : [])))
  if (agents.size > 0) emit({ type: 'agent.changed', ids: [...agents], agent_ids: [...agents] })
}

async function storeTargets(
  tx: Db,
  policyId: number,
  { document, positions }: { document: PolicyDocument; positions: number[] },
): Promise<void> {
  const targets = document.targets.map((target, index): Insertable<PolicyTargetsTable> => ({
    policy_id: policyId,
    ...placeColumns(target),
    position: positions[index] ?? 0,
  }))
  await replaceTargets(tx, policyId, targets)
  const none = { policy_id: policyId, client_id: null, site_id: null, agent_id: null }
  await replaceExclusions(tx, policyId, [
    ...document.excluded_clients.map((client_id) => ({ ...none, client_id })),
    ...document.excluded_sites.map((site_id) => ({ ...none, site_id })),
    ...document.excluded_agents.map((agent_id) => ({ ...none, agent_id })),
  ])
}

function placeColumns(target: PolicyTarget) {
  const { level } = target
  return {
    level,
    client_id: level === 'client' ? target.id : null,
    site_id: level === 'site' ? target.id : null,
    agent_id: level === 'agent' ? target.id : null,
    search: level === 'search' ? target.search : null,
    monitoring_type: 'monitoring_type' in target ? target.monitoring_type : null,
  }
}

const MAX_AUDITED_TARGETS = 50

/** The form of a policy in audit rows. */
export function documentForAudit(document: PolicyDocument, set: PolicySet): unknown {
  const { content, targets, ...rest } = document
  const named = targets.slice(0, MAX_AUDITED_TARGETS).map((target) => JSON.stringify(target))
  const more = targets.length - named.length
  return {
    ...rest,
    agent_settings: content.agent_settings,
    alert_template: content.alert_template,
    patches: content.patches,
    software: content.software,
    checks: content.checks.map(({ settings, fails_b4_alert, run_interval, depends_on }) => ({
      check: nameCheck({
        settings,
        script_name:
          (settings.check_type === 'script' ? set.scripts.get(settings.script)?.name : undefined) ?? null,
      }),
      ...settings,
      fails_b4_alert,
      run_interval,
      ...(depends_on === undefined ? {} : { depends_on }),
    })),
    tasks: content.tasks,
    assigned: more > 0 ? [...named, `and ${more} more`] : named,
  }
}
