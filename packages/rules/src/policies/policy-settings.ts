/** Numbers of machines that a policy may give, with what a machine has without one. Minutes, but for the first. */
export const AGENT_SETTINGS = {
  /** Seconds. */
  check_interval: { initial: 120, least: 15, most: 86_400 },
  offline_time: { initial: 4, least: 2, most: 9_999_998 },
  overdue_time: { initial: 30, least: 3, most: 9_999_998 },
} as const
export type NumberSetting = keyof typeof AGENT_SETTINGS
/** Whether an overdue machine raises an alert is a setting too, stored as 0 or 1. */
export type AgentSetting = NumberSetting | 'overdue_dashboard_alert'
// Object.keys forgets the names.
export const NUMBER_SETTING_NAMES = Object.keys(AGENT_SETTINGS) as NumberSetting[]
export const AGENT_SETTING_NAMES: readonly AgentSetting[] = [
  ...NUMBER_SETTING_NAMES,
  'overdue_dashboard_alert',
]
export type AgentSettings = Record<NumberSetting, number> & { overdue_dashboard_alert: 0 | 1 }

/**
 * The settings of a machine from what its chain gives; `usualAlert` is the global default for machines of its type.
 * Those of two policies may not fit together: a machine counts as overdue later than as offline, so it is at least one
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
