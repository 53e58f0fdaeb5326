import type { Event } from '@muster/contract/events'
import type { MonitoringType } from '@muster/contract/fields'
import type { AvailabilityAlerts } from '@muster/contract/api/agents'
import type { AgentSetting } from '@muster/rules/policies/policy-merge'
import type { Db } from '../../platform/database/database.ts'
import type { StoredSettings } from '../settings/queries.ts'

/**
 * Whether an alert opens when a machine is overdue: the machine's own choice, else its policies', else the global
 * default for its type. agents.overdue_dashboard_alert holds the outcome, agents.setting_sources where it is from.
 */

/** The column agents.setting_sources: `own` = what a person gave, `given` = what it has now is of a policy. */
export type SettingSources = Partial<
  Record<AgentSetting, { own?: number | undefined; given?: true | undefined }>
>

export function readSources({ setting_sources }: { setting_sources: string }): SettingSources {
  // Written by edit-agent.ts and in features/automation.
  return JSON.parse(setting_sources) as SettingSources
}

export function ownAlerts(agent: { setting_sources: string }): AvailabilityAlerts {
  const own = readSources(agent).overdue_dashboard_alert?.own
  if (own === undefined) return 'default'
  return own === 1 ? 'on' : 'off'
}

type Defaults = Pick<StoredSettings, 'availability_alerts_servers' | 'availability_alerts_workstations'>

/** The global default for machines of this type, as the column has it. */
export function usualAlert(defaults: Defaults, type: MonitoringType): 0 | 1 {
  const isOn =
    type === 'server' ? defaults.availability_alerts_servers : defaults.availability_alerts_workstations
  return isOn ? 1 : 0
}

/** Gives changed defaults to all machines for which neither a person nor a policy has decided. */
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
