import type { Event } from '@muster/contract/events'
import type { MonitoringType } from '@muster/contract/fields'
import type { AvailabilityAlerts } from '@muster/contract/api/agents'
import type { AgentSetting } from '@muster/rules/policies/policy-merge'
import type { Db } from '../../platform/database/database.ts'
import type { StoredSettings } from '../../platform/config/core-settings.ts'

/**
 * Whether an overdue machine opens an alert: the machine's own setting, else that of its policies, else the global
 * default for its type. agents.overdue_dashboard_alert holds the effective value, agents.setting_sources its origin.
 */

/** The column agents.setting_sources: `own` = set by a user, `given` = currently from a policy. */
export type SettingSources = Partial<
  Record<AgentSetting, { own?: number | undefined; given?: true | undefined }>
>

export function readSources({ setting_sources }: { setting_sources: string }): SettingSources {
  // Written by change-agent.ts and features/policies.
  return JSON.parse(setting_sources) as SettingSources
}

export function ownAlerts(agent: { setting_sources: string }): AvailabilityAlerts {
  const own = readSources(agent).overdue_dashboard_alert?.own
  if (own === undefined) return 'default'
  return own === 1 ? 'on' : 'off'
}

type Defaults = Pick<StoredSettings, 'availability_alerts_servers' | 'availability_alerts_workstations'>

/** The global default for machines of this type, as a column value. */
export function usualAlert(defaults: Defaults, type: MonitoringType): 0 | 1 {
  const isOn =
    type === 'server' ? defaults.availability_alerts_servers : defaults.availability_alerts_workstations
  return isOn ? 1 : 0
}

/** Applies changed defaults to all machines without an own or policy setting. */
export async function applyAlertDefaults(
  tx: Db,
  emit: (event: Event) => void,
  defaults: Defaults,
): Promise<void> {
  for (const type of ['server', 'workstation'] as const) {
    const value = usualAlert(defaults, type)
    const changed = await tx
      .updateTable('agents')
      .set({ overdue_dashboard_alert: value })
      .where('monitoring_type', '=', type)
      .where('overdue_dashboard_alert', '<>', value)
      .where('setting_sources', 'not like', '%"overdue_dashboard_alert"%')
      .returning('agent_id')
      .execute()
    const ids = changed.map(({ agent_id }) => agent_id)
    if (ids.length > 0) emit({ type: 'agent.changed', ids, agent_ids: ids })
  }
}
