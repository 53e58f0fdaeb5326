import { POLICY_LEVELS, type PolicyLevel } from './policy-chain.ts'

/** Merges the content of several policies with a machine's own, for any kind of content. */

export interface PolicyItem<Value> {
  /** Items with the same key override each other: see check-key.ts. */
  key: string
  value: Value
}

export interface AppliedPolicy<Value> {
  policy: number
  level: PolicyLevel
  enforced: boolean
  items: readonly PolicyItem<Value>[]
}

/** `own`: not from a policy, but from the machine itself, or from the named site, client or all machines. */
export type ItemSource =
  | { own: true; place?: 'site' | 'client' | 'default' }
  | { own: false; policy: number; level: PolicyLevel }

/** Why another item overrides it; the last two apply to no machine of this kind at all. */
export type Lost = 'enforced' | 'own' | 'nearer' | 'earlier' | 'inactive' | 'excluded'

export interface EffectiveItem<Value> {
  key: string
  value: Value
  source: ItemSource
  overrode: { value: Value; source: ItemSource; lost: Lost }[]
}

interface Ranked<Value> {
  item: PolicyItem<Value>
  source: ItemSource
  enforced: boolean
}

/**
 * Enforced policies override the machine's own items, which override other policies. Among policies the order of
 * `applied` counts, which is that of the chain. Returns each key once.
 */
export function mergePolicies<Value>(
  own: readonly PolicyItem<Value>[],
  applied: readonly AppliedPolicy<Value>[],
): EffectiveItem<Value>[] {
  const ofPolicies = (enforced: boolean) =>
    applied
      .filter((policy) => policy.enforced === enforced)
      .flatMap(({ policy, level, items }) =>
        items.map((item): Ranked<Value> => ({ item, source: { own: false, policy, level }, enforced })),
      )
  const ranked = [
    ...ofPolicies(true),
    ...own.map((item): Ranked<Value> => ({ item, source: { own: true }, enforced: false })),
    ...ofPolicies(false),
  ]
  return Array.from(Map.groupBy(ranked, ({ item }) => item.key).values(), ([first, ...rest]) => {
    // A group has at least one member.
    const winner = first!
    return {
      key: winner.item.key,
      value: winner.item.value,
      source: winner.source,
      overrode: rest.map((loser) => ({
        value: loser.item.value,
        source: loser.source,
        lost: reasonOf(winner, loser),
      })),
    }
  })
}

function reasonOf(winner: Ranked<unknown>, loser: Ranked<unknown>): Lost {
  if (winner.enforced && !loser.enforced) return 'enforced'
  if (winner.source.own || loser.source.own) return 'own'
  const isNearer = POLICY_LEVELS.indexOf(winner.source.level) < POLICY_LEVELS.indexOf(loser.source.level)
  return isNearer ? 'nearer' : 'earlier'
}
