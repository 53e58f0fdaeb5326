import { POLICY_LEVELS, type PolicyLevel } from './policy-chain.ts'

/** What comes of several policies and a machine's own: of things that are the same, one. Knows no kind of thing. */

export interface PolicyItem<Value> {
  /** Things with the same key exclude each other: see check-key.ts. */
  key: string
  value: Value
}

export interface AppliedPolicy<Value> {
  policy: number
  level: PolicyLevel
  enforced: boolean
  items: readonly PolicyItem<Value>[]
}

/** `own`: of no policy, but of the machine itself, or of the place above it that is named. */
export type ItemSource =
  | { own: true; place?: 'site' | 'client' | 'default' }
  | { own: false; policy: number; level: PolicyLevel }

/** Why another one stands before it; the last two of what applies to no such machine at all. */
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
 * Enforced policies stand before what the machine has of its own, and that before all other policies; among policies
 * the order of `applied` counts, which is that of the chain. Answers each key once.
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
