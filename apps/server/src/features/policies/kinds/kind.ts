import type { EffectiveItem, EffectivePolicy } from '@muster/contract/policies/effective-policy'
import type { PolicyContent } from '@muster/contract/policies/policy-content'
import type { EffectiveItem as Merged, AppliedPolicy, PolicyItem } from '@muster/rules/policies/policy-merge'
import type { ChainLink } from '@muster/rules/policies/policy-chain'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Scene } from '../../alerts/store-lives.ts'
import type { PolicyMachine } from '../machines.ts'
import type { PolicySet } from '../policy-set.ts'

/** Something that a policy gives or that a machine has of its own. */
export interface Thing<Ref> {
  what: string
  /** Another text where anything of it differs. */
  digest: string
  /** Of checks and tasks: the row of the machine, where it is its own. */
  row_id: number | null
  ref: Ref
}

/** A machine with the policies that reach it. */
export interface ChainedMachine {
  machine: PolicyMachine
  chain: ChainLink[]
}

type Unfit = EffectivePolicy['unfit'][number]['why']

/** What comes of one kind of content on one machine. */
export interface Resolved<Ref> extends ChainedMachine {
  effective: Merged<Thing<Ref>>[]
  /** What the policies have for it, and it does not get. */
  unfit: { what: string; policy: number; why: Unfit }[]
  /** What the machine keeps of it, where that is a text. */
  stored?: string
}

/**
 * A kind of what policies hold. One file in this folder for each, named in table.ts; what it holds stands in the
 * contract's policy-content.ts.
 */
export interface ContentKind<Ref = unknown> {
  name: EffectiveItem['kind']
  resolve(db: Db, set: PolicySet, machines: readonly ChainedMachine[]): Promise<Resolved<Ref>[]>
  /** Which of these machines have something else than what is resolved. */
  findDrift(db: Db, resolved: readonly Resolved<Ref>[]): Promise<Resolved<Ref>[]>
  /** By key, the rows by which a machine has what its policies give. */
  findRowIds?(db: Db, resolved: Resolved<Ref>): Promise<Map<string, number>>
  /** Brings machines, of which some are adrift, in line. */
  apply(scene: Scene, resolved: readonly Resolved<Ref>[]): Promise<void>
  /** Has what follows from it done, once machines have something else of this kind. */
  afterwards?(ctx: Context): Promise<void>
}

/** Of these machines, those that a policy with such content reaches. */
export function findReachedBy(
  set: PolicySet,
  machines: readonly ChainedMachine[],
  hasSuch: (content: PolicyContent) => boolean,
): string[] {
  const holders = new Set(
    Array.from(set.policies.values()).flatMap(({ id, document }) => (hasSuch(document.content) ? [id] : [])),
  )
  return machines
    .filter(({ chain }) => chain.some(({ policy, outcome }) => outcome === 'applies' && holders.has(policy)))
    .map(({ machine }) => machine.agent_id)
}

/** Adds a thing of a machine's own. Two of these may be the same to policies: both stay. */
export function addOwn<Ref>(
  found: Map<string, PolicyItem<Thing<Ref>>[]>,
  agentId: string,
  item: PolicyItem<Thing<Ref>>,
): void {
  const items = found.get(agentId) ?? []
  const isTwice = items.some(({ key }) => key === item.key)
  items.push(isTwice ? { ...item, key: `${item.key} ${item.value.row_id}` } : item)
  found.set(agentId, items)
}

/** What the policies that apply to a machine give of one kind, in the order of its chain. */
export function appliedOf<Ref>(
  set: PolicySet,
  { chain }: ChainedMachine,
  itemsOf: (policyId: number) => { key: string; value: Thing<Ref> }[],
): AppliedPolicy<Thing<Ref>>[] {
  return chain.flatMap(({ policy, assignment, outcome }) => {
    const enforced = set.policies.get(policy)?.document.enforced ?? false
    return outcome === 'applies'
      ? [{ policy, level: assignment.level, enforced, items: itemsOf(policy) }]
      : []
  })
}
