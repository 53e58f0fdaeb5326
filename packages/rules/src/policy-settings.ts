/** Settings of machines that a policy may give, with what a machine has without one. Minutes, but for the first. */
export const AGENT_SETTINGS = {
  /** Seconds. */
  check_interval: { initial: 120, least: 15, most: 86_400 },
  offline_time: { initial: 4, least: 2, most: 9_999_998 },
  overdue_time: { initial: 30, least: 3, most: 9_999_998 },
} as const
export type AgentSetting = keyof typeof AGENT_SETTINGS
// Object.keys forgets the names.
export const AGENT_SETTING_NAMES = Object.keys(AGENT_SETTINGS) as AgentSetting[]
export type AgentSettings = Record<AgentSetting, number>

/**
 * The settings of a machine from what its chain gives. Those of two policies may not fit together: a machine counts as
 * overdue later than as offline, so it is at least one minute more.
 */
export function settleAgentSettings(given: Partial<AgentSettings>): AgentSettings {
  const settings = {
    check_interval: given.check_interval ?? AGENT_SETTINGS.check_interval.initial,
    offline_time: given.offline_time ?? AGENT_SETTINGS.offline_time.initial,
    overdue_time: given.overdue_time ?? AGENT_SETTINGS.overdue_time.initial,
  }
  return { ...settings, overdue_time: Math.max(settings.overdue_time, settings.offline_time + 1) }
}
