import type { MachineService } from '@muster/contract/agent/services'
import { type DotState, StatusDot } from '../../../ui/layout/StatusDot.tsx'
import type { DataCard, DataColumn } from '../../../ui/table/data-column.ts'
import classes from '../../../ui/layout/ListPane.module.css'
import { startLabel } from './service-rows.ts'

const DOTS: Record<MachineService['status'], DotState> = {
  running: 'online',
  starting: 'away',
  stopping: 'away',
  paused: 'away',
  stopped: 'offline',
  failed: 'overdue',
  unknown: 'offline',
}

export const SERVICE_COLUMNS: readonly DataColumn<MachineService>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(150px, 1fr)',
    sortable: true,
    render: ({ display_name, name }) => <span data-tip={name}>{display_name}</span>,
  },
  {
    id: 'status',
    title: 'State',
    width: '110px',
    sortable: true,
    render: ({ status }) => <StatusDot state={DOTS[status]} label={status} />,
    watch: ({ status }) => status,
  },
  { id: 'start', title: 'Start', width: '140px', sortable: true, render: startLabel },
  {
    id: 'pid',
    title: 'PID',
    width: '80px',
    numeric: true,
    sortable: true,
    render: ({ pid }) => (pid === 0 ? '' : pid),
  },
  {
    id: 'user',
    title: 'User',
    width: 'minmax(90px, 0.6fr)',
    sortable: true,
    render: ({ username }) => username,
  },
  {
    id: 'description',
    title: 'Description',
    width: 'minmax(180px, 2fr)',
    render: ({ description, binpath }) => <span data-tip={binpath}>{description}</span>,
  },
]

export const SERVICE_COLUMNS_PX = 820

export const SERVICE_CARD: DataCard<MachineService, undefined> = {
  height: 61,
  render: (service) => (
    <>
      <div className="cardLine">
        <span className="cut">{service.display_name}</span>
        <StatusDot state={DOTS[service.status]} label={service.status} />
      </div>
      <div className={`cardLine ${classes.dim}`}>
        <span className="cut">{service.description}</span>
        <span>{startLabel(service)}</span>
      </div>
    </>
  ),
}
