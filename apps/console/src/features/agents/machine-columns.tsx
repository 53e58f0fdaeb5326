import type { AgentRow } from '@muster/contract/api/agents'
import type { MachineColumnChoice } from '@muster/contract/machine-columns'
import { formatFileSize } from '@muster/rules/text/units'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import classes from './machine-cells.module.css'
import {
  BootTime,
  ChecksCell,
  HostnameCell,
  LastResponse,
  type MachineContext,
  MachineStatus,
  OverdueCell,
  PatchesIcon,
  PendingChip,
  PlatformIcon,
  RebootIcon,
  TypeIcon,
  UserCell,
  VersionCell,
} from './machine-cells.tsx'
import { TagList } from '../tags/TagList.tsx'
import {
  fieldOf,
  fieldText,
  leastFreePercent,
  type MachineColumn,
  type MetricColumn,
} from './sort-machines.ts'

export type MachineTableColumn = DataColumn<AgentRow, MachineContext> & { id: MachineColumn }
type Column = MachineTableColumn

const COLUMNS: readonly Column[] = [
  {
    id: 'status',
    title: 'Status',
    width: '113px',
    render: (row) => <MachineStatus row={row} />,
    watch: (row) => `${row.status} ${row.connected} ${row.maintenance_mode}`,
  },
  {
    id: 'plat',
    title: 'Platform',
    titleHidden: true,
    width: '28px',
    render: (row) => <PlatformIcon row={row} />,
  },
  {
    id: 'type',
    title: 'Type',
    titleHidden: true,
    width: '28px',
    render: (row) => <TypeIcon type={row.monitoring_type} />,
  },
  {
    id: 'checks',
    title: 'Checks',
    width: '76px',
    render: (row, context) => <ChecksCell row={row} context={context} />,
    watch: ({ checks, maintenance_mode }) =>
      `${checks.failing} ${checks.warning} ${checks.passing} ${checks.old} ${maintenance_mode}`,
  },
  { id: 'client', title: 'Client', width: 'minmax(96px, 1.2fr)', render: (row) => row.client_name },
  { id: 'site', title: 'Site', width: 'minmax(84px, 1fr)', render: (row) => row.site_name },
  {
    id: 'hostname',
    title: 'Hostname',
    width: 'minmax(124px, 1.2fr)',
    render: (row, context) => <HostnameCell row={row} context={context} />,
    watch: (row) => row.hostname,
  },
  {
    id: 'description',
    title: 'Description',
    width: 'minmax(80px, 1fr)',
    render: (row) => <span className="dim">{row.description}</span>,
    watch: (row) => row.description,
  },
  {
    id: 'user',
    title: 'User',
    width: 'minmax(62px, 0.8fr)',
    render: (row) => <UserCell row={row} />,
    watch: (row) => `${row.logged_username} ${row.italic}`,
  },
  {
    id: 'patches',
    title: 'Patches',
    titleHidden: true,
    width: '28px',
    render: (row) => <PatchesIcon row={row} />,
  },
  {
    id: 'pending',
    title: 'Pending',
    width: '62px',
    render: (row) => <PendingChip count={row.pending_actions_count} />,
    watch: (row) => row.pending_actions_count,
  },
  {
    id: 'reboot',
    title: 'Reboot',
    titleHidden: true,
    width: '28px',
    render: (row) => <RebootIcon row={row} />,
    watch: (row) => row.needs_reboot,
  },
  {
    id: 'overdue',
    title: 'Overdue',
    width: '66px',
    render: (row) => <OverdueCell row={row} />,
  },
  {
    id: 'version',
    title: 'Agent',
    width: '96px',
    render: (row, context) => <VersionCell row={row} context={context} />,
    watch: (row) => row.version,
  },
  {
    id: 'last_response',
    title: 'Last response',
    width: '118px',
    render: (row, context) => <LastResponse row={row} context={context} />,
  },
  {
    id: 'boot_time',
    title: 'Boot time',
    width: '98px',
    render: (row, context) => <BootTime row={row} context={context} />,
    watch: (row) => row.boot_time,
  },
]

/** Facts of the machine, as plain text. */
function textColumn(id: MachineColumn, title: string, text: (row: AgentRow) => string): Column {
  return { id, title, width: 'minmax(110px, 1fr)', render: text, watch: text }
}

function numberColumn(id: MachineColumn, title: string, text: (row: AgentRow) => string): Column {
  return { id, title, width: '96px', numeric: true, render: text, watch: text }
}

/** The last value of a metric; empty if the machine reported none in the last minutes. */
function metricColumn(id: MetricColumn, title: string): Column {
  const render: Column['render'] = (row, { metrics }) => {
    const percent = metrics.get(row.agent_id)?.[id]
    return typeof percent === 'number' ? `${Math.round(percent)} %` : ''
  }
  return { id, title, width: '108px', numeric: true, render }
}

const FACTS: readonly Column[] = [
  {
    id: 'tags',
    title: 'Tags',
    width: 'minmax(72px, 0.8fr)',
    render: (row) => (row.tags.length === 0 ? null : <TagList names={row.tags} />),
    watch: (row) => row.tags.join(' '),
  },
  textColumn('operating_system', 'Operating system', (row) => row.operating_system),
  textColumn('local_ips', 'Local addresses', (row) => row.local_ips),
  textColumn('public_ip', 'Public address', (row) => row.public_ip),
  textColumn('make_model', 'Model', (row) => row.make_model),
  textColumn('serial_number', 'Serial number', (row) => row.serial_number),
  textColumn('cpu_model', 'Processor', (row) => row.cpu_model.join(', ')),
  textColumn('graphics', 'Graphics', (row) => row.graphics),
  textColumn('physical_disks', 'Disks', (row) => row.physical_disks.join(', ')),
  textColumn('goarch', 'Architecture', (row) => row.goarch),
  numberColumn('ram', 'Memory', (row) => (row.ram_bytes === 0 ? '' : formatFileSize(row.ram_bytes))),
  numberColumn('disk_free', 'Free space', (row) => {
    const free = leastFreePercent(row)
    return free === undefined ? '' : `${Math.round(free)} %`
  }),
  metricColumn('cpu', 'CPU load'),
  metricColumn('memory', 'Memory in use'),
]

/** All columns. Each of them sorts. */
const CATALOG = [...COLUMNS, ...FACTS].map((column): Column => ({ ...column, sortable: true }))

/** Columns that the default leaves to the user's choice. */
const OPTIONAL = new Set<MachineColumn>([
  'overdue',
  'operating_system',
  'local_ips',
  'public_ip',
  'make_model',
  'serial_number',
  'cpu_model',
  'graphics',
  'physical_disks',
  'goarch',
  'ram',
  'disk_free',
  'cpu',
  'memory',
])

interface NamedField {
  id: number
  name: string
  model: 'client' | 'site' | 'agent'
}

/** Every column, with the custom fields of machines, and the columns of value-columns.tsx once they are loaded. */
export function allColumns(
  fields: readonly NamedField[],
  values: readonly MachineTableColumn[] = [],
): readonly MachineTableColumn[] {
  return [
    ...CATALOG,
    ...values,
    ...fields
      .filter(({ model }) => model === 'agent')
      .map(({ id, name }): Column => {
        const text = (row: AgentRow) => fieldText(row, id)
        return { ...textColumn(`field_${id}`, name, text), sortable: true }
      }),
  ]
}

/** The default columns; some appear only where they are of use. */
export function defaultColumns(shown: { version: boolean; tags: boolean }): MachineColumnChoice[] {
  const hidden = new Set(OPTIONAL)
  if (!shown.version) hidden.add('version')
  if (!shown.tags) hidden.add('tags')
  return CATALOG.filter(({ id }) => !hidden.has(id)).map(({ id }) => ({ id, width: null }))
}

export interface ShownColumns {
  columns: readonly Column[]
  /** Below this the table scrolls sideways: the sum of the widths. */
  minWidth: number
}

/** Width of the check boxes and of the padding of a row. */
const EXTRA_PX = 40

/** The chosen columns as they are drawn; unknown ones are left out. */
export function showColumns(choices: readonly MachineColumnChoice[], all: readonly Column[]): ShownColumns {
  const columns = choices.flatMap(({ id, width }) => {
    const column = all.find((one) => one.id === id)
    if (column === undefined) return []
    return [width === null ? column : { ...column, width: `${width}px` }]
  })
  const widths = columns.map(({ width }) => Number(/\d+/.exec(width)?.[0] ?? 0))
  return { columns, minWidth: EXTRA_PX + widths.reduce((sum, width) => sum + width, 0) }
}

/** Whether a column shows a custom field, whose name comes from the server. */
export const needsFields = (choices: readonly MachineColumnChoice[]): boolean =>
  choices.some(({ id }) => fieldOf(id) !== undefined)

/** A machine as a card of two lines. */
export const MACHINE_CARD: DataCard<AgentRow, MachineContext> = {
  height: 61,
  render: (row, context) => (
    <>
      <div className="cardLine">
        <span className={classes.cardStart}>
          <span className="cut">
            <HostnameCell row={row} context={context} />
          </span>
          <PlatformIcon row={row} />
          <TypeIcon type={row.monitoring_type} />
          <RebootIcon row={row} />
          <PatchesIcon row={row} />
        </span>
        <span className="fixed-row">
          <PendingChip count={row.pending_actions_count} />
          {row.checks.total > 0 && <ChecksCell row={row} context={context} />}
          <MachineStatus row={row} />
        </span>
      </div>
      <div className="cardLine dim">
        <span className="cut">
          {[row.client_name, row.site_name, row.logged_username].filter(Boolean).join(' · ')}
        </span>
        <span className="fixed-row">
          <LastResponse row={row} context={context} />
        </span>
      </div>
    </>
  ),
}
