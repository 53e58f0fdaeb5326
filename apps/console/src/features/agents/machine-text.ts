import type { AgentRow } from '@muster/contract/api/agents'
import { toPresence } from '@muster/rules/agents/agent-status'
import { platformName } from '@muster/rules/agents/available-actions'
import { OVERDUE_ALERTS, isNotified } from './overdue-alerts.ts'
import {
  fieldOf,
  fieldText,
  leastFreePercent,
  isMetric,
  type MachineColumn,
  type MetricColumn,
  NO_METRICS,
} from './sort-machines.ts'

type Text = string | number | null

/** The cells of a column as text, for files. */
const TEXTS: Partial<Record<string, (row: AgentRow) => Text>> = {
  status: (row) => (row.maintenance_mode ? 'maintenance' : toPresence(row.status, row.connected)),
  plat: (row) => platformName(row.plat),
  type: (row) => row.monitoring_type,
  checks: ({ checks }) =>
    checks.total === 0
      ? null
      : `${checks.failing} failing, ${checks.warning} warning, ${checks.passing} passing of ${checks.total}`,
  client: (row) => row.client_name,
  site: (row) => row.site_name,
  hostname: (row) => row.hostname,
  description: (row) => row.description,
  user: (row) => row.logged_username,
  patches: (row) => (row.has_patches_pending ? 'yes' : 'no'),
  pending: (row) => row.pending_actions_count,
  reboot: (row) => (row.needs_reboot ? 'yes' : 'no'),
  overdue: (row) =>
    OVERDUE_ALERTS.filter((alert) => isNotified(alert, row))
      .map(({ label }) => label)
      .join(', '),
  version: (row) => row.version,
  last_response: (row) => row.last_seen,
  boot_time: (row) => (row.boot_time === null ? null : new Date(row.boot_time * 1000).toISOString()),
  tags: (row) => row.tags.join(', '),
  operating_system: (row) => row.operating_system,
  public_ip: (row) => row.public_ip,
  local_ips: (row) => row.local_ips,
  cpu_model: (row) => row.cpu_model.join(', '),
  graphics: (row) => row.graphics,
  make_model: (row) => row.make_model,
  physical_disks: (row) => row.physical_disks.join(', '),
  serial_number: (row) => row.serial_number,
  goarch: (row) => row.goarch,
  // Bytes and percent, for calculations.
  ram: (row) => (row.ram_bytes === 0 ? null : row.ram_bytes),
  disk_free: (row) => {
    const free = leastFreePercent(row)
    return free === undefined ? null : Math.round(free * 10) / 10
  },
} satisfies Record<Exclude<MachineColumn, MetricColumn | `field_${number}`>, (row: AgentRow) => Text>

/** The rows as they are shown: a line of titles, then a line for each machine. */
export function machinesTable(
  columns: readonly { id: MachineColumn; title: string }[],
  rows: readonly AgentRow[],
  metrics = NO_METRICS,
): Text[][] {
  const texts = columns.map(({ id }) => {
    if (isMetric(id)) return ({ agent_id }: AgentRow) => metrics.get(agent_id)?.[id] ?? null
    const field = fieldOf(id)
    return field === undefined ? TEXTS[id] : (row: AgentRow) => fieldText(row, field)
  })
  return [columns.map(({ title }) => title), ...rows.map((row) => texts.map((text) => text?.(row) ?? null))]
}
