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
