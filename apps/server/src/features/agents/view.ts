import type { AgentFacts } from '@muster/contract/agent/facts'
import type { AgentDetail, AgentRow } from '@muster/contract/api/agents'
import { agentStatus } from '@muster/rules/agents/agent-status'
import { formatFileSize } from '@muster/rules/text/units'
import { viewNamedValue, viewValue } from '../custom-fields/queries.ts'
import { ownAlerts } from './availability.ts'
import type { AgentsRow } from './queries.ts'

const GIB = 1024 ** 3

/** The last facts of the machine, or null before its first report. */
export function readFacts(row: { facts: string | null }): AgentFacts | null {
  if (row.facts === null) return null
  // Written by store-facts.ts with the contract's schema.
  return JSON.parse(row.facts) as AgentFacts
}

export function viewAgentRow(row: AgentsRow, now: Date): AgentRow {
  const facts = readFacts(row)
  return {
    agent_id: row.agent_id,
    hostname: row.hostname,
    client: row.client_name,
    site: row.site_name,
    ...viewShared(row, facts, now),
    alert_template: row.template,
    custom_fields: row.values.map((value) => ({ ...viewValue(value), agent: row.agent_id })),
  }
}

export function viewAgentDetail(
  row: AgentsRow,
  now: Date,
  {
    applied,
    patchPolicies,
    update,
  }: Pick<AgentDetail, 'update'> & {
    applied: AgentDetail['applied_policies']
    patchPolicies: Pick<AgentDetail, 'winupdatepolicy' | 'effective_patch_policy'>
  },
): AgentDetail {
  const facts = readFacts(row)
  return {
    agent_id: row.agent_id,
    id: row.id,
    hostname: row.hostname,
    client: row.client_name,
    site: row.site_id,
    ...viewShared(row, facts, now),
    time_zone: row.time_zone,
    timezone: facts?.time_zone ?? '',
    check_interval: row.check_interval,
    availability_alerts: ownAlerts(row),
    own_tags: row.tags.own,
    default_shell: row.default_shell,
    default_shell_custom: row.default_shell_custom,
    custom_fields: row.values.map((value) => ({ ...viewNamedValue(value), agent: row.agent_id })),
    alert_template: row.alert_template_id,
    effective_alert_template: row.template,
    applied_policies: applied,
    ...patchPolicies,
    total_ram: Math.round((facts?.total_ram ?? 0) / GIB),
    created: row.created_at,
    modified: row.modified,
    facts,
    clock_skew_seconds: row.clock_skew_seconds,
    maintenance_by: row.maintenance_by,
    link_lost_at: row.link_lost_at,
    can_update: row.can_update === 1,
    update,
  }
}

function viewShared(row: AgentsRow, facts: AgentFacts | null, now: Date) {
  const connected = row.connected === 1
  const last_seen = connected ? now.toISOString() : row.last_seen
  const { offline_time, overdue_time } = row
  const user = facts?.logged_in_user ?? ''
  return {
    client_name: row.client_name,
    site_name: row.site_name,
    client_id: row.client_id,
    site_id: row.site_id,
    monitoring_type: row.monitoring_type,
    server_machine: row.server_machine === 1,
    plat: row.plat,
    goarch: row.arch,
    description: row.description,
    status: agentStatus({ connected, last_seen, offline_time, overdue_time }, now.getTime()),
    connected,
    last_seen,
    boot_time: facts?.boot_time ?? null,
    offline_time,
    overdue_time,
    checks: row.checks,
    maintenance_mode: row.maintenance_mode === 1,
    needs_reboot: facts?.needs_reboot ?? false,
    has_patches_pending: (row.pending_patches ?? 0) > 0,
    pending_actions_count: Number(row.queued_runs) + Number(row.planned_actions),
    logged_username: user === '' ? (facts?.last_logged_in_user ?? '') : user,
    italic: user === '' && (facts?.last_logged_in_user ?? '') !== '',
    overdue_email_alert: row.overdue_email_alert === 1,
    overdue_text_alert: row.overdue_text_alert === 1,
    overdue_dashboard_alert: row.overdue_dashboard_alert === 1,
    policy: row.policy,
    block_policy_inheritance: row.block_policy_inheritance === 1,
    version: row.version,
    operating_system: [facts?.os_name, facts?.os_version].filter((part) => part).join(' '),
    public_ip: row.public_ip,
    local_ips: (facts?.addresses ?? []).map(({ address }) => address).join(', '),
    cpu_model: facts?.cpus ?? [],
    graphics: (facts?.graphics ?? []).join(', '),
    make_model: [facts?.make, facts?.model].filter((part) => part).join(' '),
    physical_disks: (facts?.physical_disks ?? []).map(
      (disk) => `${disk.name} ${formatFileSize(disk.size)} ${disk.type}`,
    ),
    serial_number: facts?.serial_number ?? '',
    ram_bytes: facts?.total_ram ?? 0,
    disks: (facts?.disks ?? []).map(({ mount, total, used, free }) => ({ mount, total, used, free })),
    tags: row.tags.all,
    problems: problemsOf(row, facts),
  }
}

/** With a larger skew the machine refuses commands as expired or not yet valid. */
const MIN_SHOWN_SKEW_SECONDS = 60

function problemsOf(row: AgentsRow, facts: AgentFacts | null): string[] {
  const problems = [...(facts?.problems ?? [])]
  const skew = row.clock_skew_seconds
  if (skew !== null && Math.abs(skew) >= MIN_SHOWN_SKEW_SECONDS) {
    const minutes = Math.round(Math.abs(skew) / 60)
    problems.push(
      `The clock of this machine is ${minutes} min ${skew > 0 ? 'ahead' : 'behind'}, so it may refuse commands. Correct its clock.`,
    )
  }
  return problems
}
