import type { AgentRow } from '@muster/contract/api/agents'
import type { AgentValueName } from '@muster/contract/api/agent-values'
import { formatFileSize } from '@muster/rules/text/units'
import type { MachineContext } from './machine-cells.tsx'
import type { MachineTableColumn } from './machine-columns.tsx'

/** Columns that the server lists by name while they are shown. Loaded when a column or the menu of columns needs them. */

type Show = (value: string | number, context: MachineContext) => string

const asText: Show = (value) => `${value}`
const asPercent: Show = (value) => `${Math.round(Number(value))} %`
const asRate: Show = (value) => `${formatFileSize(Number(value))}/s`
const asDate: Show = (value, { formatDate }) => formatDate(value)

function column(
  name: AgentValueName,
  title: string,
  { show = asText, numeric = false }: { show?: Show; numeric?: boolean } = {},
): MachineTableColumn {
  const id = `value_${name}` as const
  const render = (row: AgentRow, context: MachineContext) => {
    const value = context.metrics.get(row.agent_id)?.[id] ?? null
    return value === null ? '' : show(value, context)
  }
  const width = numeric ? '108px' : 'minmax(110px, 1fr)'
  return { id, title, width, ...(numeric ? { numeric } : {}), sortable: true, render }
}

export const VALUE_COLUMNS: readonly MachineTableColumn[] = [
  column('swap', 'Swap in use', { show: asPercent, numeric: true }),
  column('load', 'Load average', { numeric: true }),
  column('disk_read', 'Disk read', { show: asRate, numeric: true }),
  column('disk_write', 'Disk write', { show: asRate, numeric: true }),
  column('net_in', 'Network in', { show: asRate, numeric: true }),
  column('net_out', 'Network out', { show: asRate, numeric: true }),
  column('time_zone', 'Time zone'),
  column('enrolled', 'Enrolled', { show: asDate }),
  column('last_user', 'Last user'),
  column('mac', 'MAC addresses'),
  column('antivirus', 'Antivirus'),
  column('firewall', 'Firewall'),
  column('encryption', 'Disk encryption'),
  column('guests', 'Guests', { numeric: true }),
  column('policies', 'Policies'),
  column('open_alerts', 'Open alerts', { numeric: true }),
  column('missing_patches', 'Missing patches', { numeric: true }),
]
