import {
  AGENT_SETTING_NAMES,
  AGENT_SETTINGS,
  type AgentSetting,
  type AgentSettings,
  mergePolicies,
  type PolicyItem,
  settleAgentSettings,
} from '@muster/rules/policies/policy-merge'
import { readSources, type SettingSources } from '../../agents/availability.ts'
import { findChecksOfInterval } from '../../checks/queries.ts'
import { markChecksStale } from '../../checks/mark-checks-stale.ts'
import type { PolicyMachine } from '../machines.ts'
import { appliedOf, type ContentKind, type Resolved, type Thing } from './kind.ts'

/** The value of the setting. */
type SettingRef = { name: AgentSetting; value: number }

/**
 * Check interval, offline and overdue minutes, availability alerts. The effective values are columns of the machine,
 * where everything else reads them. A machine without a policy value keeps its values.
 */
export const agentSettingsKind: ContentKind<SettingRef> = {
  name: 'agent_settings',
  resolve: async (_db, set, machines) =>
    machines.map((chained) => {
      const applied = appliedOf(set, chained, (policy) => {
        const values = set.policies.get(policy)?.document.content.agent_settings
        return AGENT_SETTING_NAMES.flatMap((name) => itemOf(name, values?.[name] ?? undefined))
      })
      const sources = readSources(chained.machine)
      const own = AGENT_SETTING_NAMES.flatMap((name) => itemOf(name, sources[name]?.own))
      return { ...chained, effective: mergePolicies(own, applied), unfit: [] }
    }),
  findDrift: async (_db, resolved) => resolved.filter((one) => columnsFor(one) !== undefined),
  apply: async ({ tx, emit }, resolved) => {
    const changed: string[] = []
    const staleIds: number[] = []
    for (const one of resolved) {
      const columns = columnsFor(one)
      if (columns === undefined) continue
      const { agent_id, check_interval } = one.machine
      await tx.updateTable('agents').set(columns).where('agent_id', '=', agent_id).execute()
      changed.push(agent_id)
      if (columns.check_interval !== check_interval) {
        staleIds.push(...(await findChecksOfInterval(tx, agent_id)))
      }
    }
    await markChecksStale(tx, emit, { checkIds: staleIds })
    if (changed.length > 0) emit({ type: 'agent.changed', ids: changed, agent_ids: changed })
  },
}

const WORDS: Record<AgentSetting, (value: number) => string> = {
  check_interval: (value) => `Check interval: ${value} s`,
  offline_time: (value) => `Offline after ${value} min`,
  overdue_time: (value) => `Overdue after ${value} min`,
  overdue_dashboard_alert: (value) => `Availability alerts: ${value === 1 ? 'on' : 'off'}`,
}

function itemOf(name: AgentSetting, setting: number | boolean | undefined): PolicyItem<Thing<SettingRef>>[] {
  if (setting === undefined) return []
  const value = Number(setting)
  return [
    {
      key: name,
      value: { what: WORDS[name](value), digest: String(value), row_id: null, ref: { name, value } },
    },
  ]
}

const usualOverdue = AGENT_SETTINGS.overdue_time.initial

/** The corrected columns of the machine, undefined if they are up to date. */
function columnsFor({
  machine,
  effective,
}: Resolved<SettingRef>): (AgentSettings & { setting_sources: string }) | undefined {
  const sources = readSources(machine)
  const isGiven = effective.some(({ source }) => !source.own)
  const winners = new Map(effective.map(({ value, source }) => [value.ref.name, { value, source }]))
  const isUntouched = !isGiven && AGENT_SETTING_NAMES.every((name) => sources[name]?.given !== true)
  const alert = winners.get('overdue_dashboard_alert')?.value.ref.value ?? machine.usual_alert
  if (isUntouched && alert === machine.overdue_dashboard_alert) return undefined
  const settled: SettingSources = {}
  const values: Partial<Record<AgentSetting, number>> = {}
  for (const name of AGENT_SETTING_NAMES) {
    const winner = winners.get(name)
    const own = sources[name]?.own
    const given = winner !== undefined && !winner.source.own ? (true as const) : undefined
    if (own !== undefined || given) settled[name] = { own, given }
    // Without a policy value the machine keeps its value, except that alerts follow their global default.
    const isFree = sources[name]?.given === true || name === 'overdue_dashboard_alert'
    const usual = isFree ? undefined : machine[name]
    const value = winner?.value.ref.value ?? usual
    if (value !== undefined) values[name] = value
  }
  const counting = settleAgentSettings(values, machine.usual_alert)
  // It was raised to fit the `offline` of a policy, and returns with it.
  if (counting.overdue_time !== values.overdue_time && counting.overdue_time !== usualOverdue) {
    settled.overdue_time = { own: sources.overdue_time?.own, given: true }
  }
  const columns = { ...counting, setting_sources: JSON.stringify(settled) }
  return isSame(machine, columns) ? undefined : columns
}

function isSame(machine: PolicyMachine, columns: AgentSettings & { setting_sources: string }): boolean {
  return (
    AGENT_SETTING_NAMES.every((name) => machine[name] === columns[name]) &&
    JSON.stringify(readSources(machine)) === columns.setting_sources
  )
}
