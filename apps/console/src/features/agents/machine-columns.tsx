import type { AgentRow } from '@muster/contract/api/agents'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import classes from './machine-cells.module.css'
import {
  BootTime,
  ChecksCell,
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
import type { MachineColumn } from './sort-machines.ts'

type Column = DataColumn<AgentRow, MachineContext> & { id: MachineColumn }

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
  { id: 'client', title: 'Client', width: 'minmax(104px, 1.2fr)', render: (row) => row.client_name },
  { id: 'site', title: 'Site', width: 'minmax(90px, 1fr)', render: (row) => row.site_name },
  {
    id: 'hostname',
    title: 'Hostname',
    width: 'minmax(132px, 1.2fr)',
    render: (row) => <span className="strong">{row.hostname}</span>,
    watch: (row) => row.hostname,
  },
  {
    id: 'description',
    title: 'Description',
    width: 'minmax(90px, 1fr)',
    render: (row) => <span className="dim">{row.description}</span>,
    watch: (row) => row.description,
  },
  {
    id: 'user',
    title: 'User',
    width: 'minmax(68px, 0.8fr)',
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
    width: '66px',
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
    width: '106px',
    render: (row, context) => <BootTime row={row} context={context} />,
    watch: (row) => row.boot_time,
  },
]

interface Columns {
  columns: readonly Column[]
  /** Below this the table scrolls sideways: the sum of the widths. */
  minWidth: number
}

const SORTABLE = COLUMNS.map((column): Column => ({ ...column, sortable: true }))

/** The columns of the machine table, in order. All of them sort. */
export const MACHINE_COLUMNS: Columns = {
  columns: SORTABLE.filter(({ id }) => id !== 'version'),
  minWidth: 1141,
}
export const MACHINE_COLUMNS_WITH_VERSION: Columns = { columns: SORTABLE, minWidth: 1237 }

/** A machine as a card of two lines. */
export const MACHINE_CARD: DataCard<AgentRow, MachineContext> = {
  height: 61,
  render: (row, context) => (
    <>
      <div className="cardLine">
        <span className={classes.cardStart}>
          <span className="strong cut">{row.hostname}</span>
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
