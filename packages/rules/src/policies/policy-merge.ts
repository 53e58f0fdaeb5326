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

/** Numeric settings of policies, with their defaults. Minutes, except the first. */
export const AGENT_SETTINGS = {
  /** Seconds. */
  check_interval: { initial: 120, least: 15, most: 86_400 },
  offline_time: { initial: 4, least: 2, most: 9_999_998 },
  overdue_time: { initial: 30, least: 3, most: 9_999_998 },
} as const
export type NumberSetting = keyof typeof AGENT_SETTINGS
/** Whether an overdue machine raises an alert is a setting too, stored as 0 or 1. */
export type AgentSetting = NumberSetting | 'overdue_dashboard_alert'
// Object.keys loses the literal names.
export const NUMBER_SETTING_NAMES = Object.keys(AGENT_SETTINGS) as NumberSetting[]
export const AGENT_SETTING_NAMES: readonly AgentSetting[] = [
  ...NUMBER_SETTING_NAMES,
  'overdue_dashboard_alert',
]
export type AgentSettings = Record<NumberSetting, number> & { overdue_dashboard_alert: 0 | 1 }

/**
 * The settings of a machine from its chain; `usualAlert` is the global default for machines of its type. Settings of
 * two policies may conflict: a machine becomes overdue later than offline, so the overdue time is at least one
 * minute more.
 */
export function settleAgentSettings(
  given: Partial<Record<AgentSetting, number>>,
  usualAlert: 0 | 1,
): AgentSettings {
  const settings = {
    check_interval: given.check_interval ?? AGENT_SETTINGS.check_interval.initial,
    offline_time: given.offline_time ?? AGENT_SETTINGS.offline_time.initial,
    overdue_time: given.overdue_time ?? AGENT_SETTINGS.overdue_time.initial,
  }
  const alert = given.overdue_dashboard_alert ?? usualAlert
  return {
    ...settings,
    overdue_time: Math.max(settings.overdue_time, settings.offline_time + 1),
    overdue_dashboard_alert: alert === 1 ? 1 : 0,
  }
}
