import type { PolicyDocument, PolicyTarget } from '@muster/contract/api/policies'
import type { ScriptParameter } from '@muster/contract/api/scripts'
import { TASK_DEFAULTS } from '@muster/contract/api/tasks'
import { NO_CONTENT, type PolicyContent } from '@muster/contract/policies/policy-content'
import { compileTarget } from '@muster/rules/agents/machine-target'
import {
  type ChainLink,
  compilePolicyChain,
  type ChainMachine,
  type PolicyAssignment,
} from '@muster/rules/policies/policy-chain'
import type { Db } from '../../platform/database/database.ts'
import { readParametersColumn } from '../scripts/queries.ts'
import {
  type ExclusionRow,
  findExclusionRows,
  findPolicyRows,
  findTargetRows,
  type PolicyRow,
  readPolicyStamp,
  type TargetRow,
} from './queries.ts'

export interface LoadedPolicy {
  id: number
  /** Absent while it is only planned. */
  row: PolicyRow | undefined
  document: PolicyDocument
  /** In the order of `document.targets`. */
  positions: number[]
}

export interface LibraryScript {
  id: number
  name: string
  supported_platforms: string[]
  parameters: ScriptParameter[]
}

/** All policies at one moment, prepared to resolve machines. */
export interface PolicySet {
  policies: ReadonlyMap<number, LoadedPolicy>
  scripts: ReadonlyMap<number, LibraryScript>
  /** Changes with any policy. */
  state: string
  /** Identifies the rows that it was read from. */
  stamp: string
  /** Whether facts of machines are needed. */
  hasSearches: boolean
  chainOf: (machine: ChainMachine) => ChainLink[]
}

/** `instead`: with this document for the policy. Undefined = without the policy. */
export interface Instead {
  id: number
  document: PolicyDocument | undefined
}

/** The id of a policy that is not stored yet. */
export const NEW_POLICY = 2_147_483_647

const known = new WeakMap<Db, PolicySet>()

/**
 * Returns the current policies. They are cached, and a stamp of the rows, read each time, shows whether the cache is up
 * to date, whichever process changed it. `before`: another set that may still fit, for transactions, whose uncommitted
 * changes must stay private.
 */
export async function loadPolicySet(db: Db, before = known.get(db)): Promise<PolicySet> {
  const stamp = await readPolicyStamp(db)
  if (before?.stamp === stamp) return before
  const set = await readPolicySet(db, stamp)
  if (!db.isTransaction) known.set(db, set)
  return set
}

async function readPolicySet(db: Db, stamp: string): Promise<PolicySet> {
  const targets = Map.groupBy(await findTargetRows(db), ({ policy_id }) => policy_id)
  const exclusions = Map.groupBy(await findExclusionRows(db), ({ policy_id }) => policy_id)
  const policies = (await findPolicyRows(db)).map((row): LoadedPolicy => {
    const own = targets.get(row.id) ?? []
    return {
      id: row.id,
      row,
      document: documentOf(row, own, exclusions.get(row.id) ?? []),
      positions: own.map(({ position }) => position),
    }
  })
  const scripts = await db
    .selectFrom('scripts')
    .select(['id', 'name', 'supported_platforms', 'parameters'])
    .execute()
  return compileSet(
    new Map(policies.map((policy) => [policy.id, policy])),
    new Map(
      scripts.map(({ id, name, supported_platforms: platforms, ...script }) => [
        id,
        {
          id,
          name,
          // A JSON column, written by the scripts feature from the contract's list.
          supported_platforms: JSON.parse(platforms) as string[],
          parameters: readParametersColumn(script),
        },
      ]),
    ),
    stamp,
  )
}

/** The set after a save. */
export function withInstead(set: PolicySet, { id, document }: Instead): PolicySet {
  const policies = new Map(set.policies)
  if (document === undefined) policies.delete(id)
  else
    policies.set(id, {
      id,
      row: set.policies.get(id)?.row,
      document,
      positions: positionsFor(set, id, document),
    })
  return compileSet(policies, set.scripts, 'planned')
}

/** The set with some of its policies replaced. */
export function withPolicies(set: PolicySet, changed: readonly LoadedPolicy[]): PolicySet {
  const policies = new Map(set.policies)
  for (const policy of changed) policies.set(policy.id, policy)
  return compileSet(policies, set.scripts, 'planned')
}

/**
 * Only some of the policies: enough to decide whether they apply to a machine, because other policies have no influence
 * on that.
 */
export function onlyPolicies(set: PolicySet, ids: ReadonlySet<number>): PolicySet {
  const policies = new Map([...set.policies].filter(([id]) => ids.has(id)))
  return compileSet(policies, set.scripts, 'part')
}

/** The position of a policy at each of its targets: unchanged, or after all others. */
export function positionsFor(set: PolicySet, id: number, { targets }: PolicyDocument): number[] {
  const before = set.policies.get(id)
  const kept = new Map(
    (before?.document.targets ?? []).map((target, index) => [targetKey(target), before?.positions[index]]),
  )
  const last = new Map<string, number>()
  for (const policy of set.policies.values()) {
    for (const [index, target] of policy.document.targets.entries()) {
      const key = targetKey(target)
      last.set(key, Math.max(last.get(key) ?? 0, policy.positions[index] ?? 0))
    }
  }
  return targets.map((target) => kept.get(targetKey(target)) ?? (last.get(targetKey(target)) ?? 0) + 1)
}

export function targetKey(target: PolicyTarget): string {
  return 'id' in target ? `${target.level} ${target.id}` : target.level
}

/** Newer kinds of content and fields of tasks get their default values. */
export function readContent(content: string): PolicyContent {
  // Stored by store-save.ts with the contract's schema.
  const stored = JSON.parse(content) as Partial<PolicyContent>
  const tasks = (stored.tasks ?? []).map((one) => ({
    ...one,
    // In the order of the contract. Otherwise an unchanged task would look changed.
    task: { ...one.task, ...TASK_DEFAULTS, ...one.task },
  }))
  const agent_settings = { ...NO_CONTENT.agent_settings, ...stored.agent_settings }
  const patches = { ...NO_CONTENT.patches, ...stored.patches }
  return { ...NO_CONTENT, ...stored, agent_settings, tasks, patches }
}

function compileSet(
  policies: Map<number, LoadedPolicy>,
  scripts: ReadonlyMap<number, LibraryScript>,
  stamp: string,
): PolicySet {
  const all = [...policies.values()]
  const assignments = all.flatMap(({ id, document, positions }) =>
    document.targets.map((target, index): PolicyAssignment => ({
      policy: id,
      position: positions[index] ?? 0,
      ...target,
    })),
  )
  const chained = all.map(({ id, document }) => ({ id, ...document }))
  return {
    policies,
    scripts,
    stamp,
    state: JSON.stringify(all.map(({ id, row }) => [id, row?.modified])),
    hasSearches: assignments.some(({ level }) => level === 'search'),
    chainOf: compilePolicyChain(chained, assignments, compileTarget),
  }
}

function documentOf(row: PolicyRow, targets: TargetRow[], exclusions: ExclusionRow[]): PolicyDocument {
  return {
    name: row.name,
    desc: row.description,
    active: row.active === 1,
    enforced: row.enforced === 1,
    content: readContent(row.content),
    targets: targets.map(targetOf),
    excluded_clients: exclusions.flatMap(({ client_id: id }) => (id === null ? [] : [id])),
    excluded_sites: exclusions.flatMap(({ site_id: id }) => (id === null ? [] : [id])),
    excluded_agents: exclusions.flatMap(({ agent_id: id }) => (id === null ? [] : [id])),
  }
}

function targetOf(row: TargetRow): PolicyTarget {
  const { level, client_id, site_id, agent_id, search, monitoring_type } = row
  switch (level) {
    case 'default':
      return { level, monitoring_type }
    case 'client':
      return { level, id: client_id ?? 0, monitoring_type }
    case 'site':
      return { level, id: site_id ?? 0, monitoring_type }
    case 'agent':
      return { level, id: agent_id ?? '' }
    case 'search':
      return { level, search: search ?? '' }
  }
}
