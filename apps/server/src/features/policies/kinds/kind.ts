import type { EffectiveItem, EffectivePolicy } from '@muster/contract/policies/effective-policy'
import type { PolicyContent } from '@muster/contract/policies/policy-content'
import type { EffectiveItem as Merged, AppliedPolicy, PolicyItem } from '@muster/rules/policies/policy-merge'
import type { ChainLink } from '@muster/rules/policies/policy-chain'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { TxContext } from '../../alerts/store-alerts.ts'
import type { PolicyMachine } from '../machines.ts'
import type { PolicySet } from '../policy-set.ts'

/** An item of a policy or of a machine. */
export interface Thing<Ref> {
  what: string
  /** Changes with any part of the item. */
  digest: string
  /** For checks and tasks: the row of a machine's own item. */
  row_id: number | null
  ref: Ref
}

/** A machine with the policies that apply to it. */
export interface ChainedMachine {
  machine: PolicyMachine
  chain: ChainLink[]
}

type Unfit = EffectivePolicy['unfit'][number]['why']

/** Effective items of one kind for one machine. */
export interface Resolved<Ref> extends ChainedMachine {
  effective: Merged<Thing<Ref>>[]
  /** Policy items that do not apply to the machine, with the reason. */
  unfit: { what: string; policy: number; why: Unfit }[]
  /** The value stored with the machine, if it is a text. */
  stored?: string
}

/**
 * A kind of policy content. Each has one file in this folder, is listed in table.ts, and its schema is in the
 * contract's policy-content.ts.
 */
export interface ContentKind<Ref = unknown> {
  name: EffectiveItem['kind']
  resolve(db: Db, set: PolicySet, machines: readonly ChainedMachine[]): Promise<Resolved<Ref>[]>
  /** Returns the machines that differ from their resolved items. */
  findDrift(db: Db, resolved: readonly Resolved<Ref>[]): Promise<Resolved<Ref>[]>
  /** By key, the rows of a machine for items of its policies. */
  findRowIds?(db: Db, resolved: Resolved<Ref>): Promise<Map<string, number>>
  /** Brings machines in line, some of which differ. */
  apply(txContext: TxContext, resolved: readonly Resolved<Ref>[]): Promise<void>
  /** Runs after items of this kind changed on machines. */
  afterwards?(ctx: Context): Promise<void>
}

/** The machines that a policy with such content applies to. */
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

/** Adds an own item of a machine. Two items with the same key both stay. */
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

/** The items of one kind from the policies of a machine, in the order of its chain. */
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
