import { Checkbox } from '@mantine/core'
import type { FleetPatch } from '@muster/contract/api/patches'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import { Restart, Severity } from './PatchTable.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import classes from './FleetPatches.module.css'
import { decisionsLabel } from './patch-rows.ts'

export interface FleetContext {
  checked: ReadonlySet<string>
  toggle: (row: FleetPatch) => void
}

export const FLEET_COLUMNS: readonly DataColumn<FleetPatch, FleetContext>[] = [
  {
    id: 'check',
    title: 'Selected',
    titleHidden: true,
    width: '36px',
    render: (row, context) => (
      <span className={classes.check}>
        <CheckMark row={row} context={context} />
      </span>
    ),
  },
  {
    id: 'severity',
    title: 'Severity',
    width: '112px',
    sortable: true,
    render: (row) => <Severity row={row} />,
  },
  {
    id: 'title',
    title: 'Name',
    width: 'minmax(220px, 2.4fr)',
    sortable: true,
    render: ({ title }) => <bdi data-tip={title}>{title}</bdi>,
  },
  {
    id: 'version',
    title: 'Version',
    width: 'minmax(140px, 1.2fr)',
    render: ({ version, kb }) => <bdi>{version || kb}</bdi>,
  },
  {
    id: 'machines',
    title: 'Machines',
    width: '96px',
    numeric: true,
    sortable: true,
    render: ({ machines }) => machines,
    watch: ({ machines }) => machines,
  },
  {
    id: 'decision',
    title: 'Decision',
    width: 'minmax(140px, 1fr)',
    render: (row) => decisionsLabel(row),
    watch: (row) => decisionsLabel(row),
  },
  {
    id: 'first_seen',
    title: 'First seen',
    width: '120px',
    sortable: true,
    render: ({ first_seen }) => <Time instant={first_seen} relative />,
  },
  {
    id: 'restart',
    title: 'Restart',
    titleHidden: true,
    width: '32px',
    render: (row) => row.needs_reboot && <Restart />,
  },
]

export const FLEET_COLUMNS_PX = 940

export const FLEET_CARD: DataCard<FleetPatch, FleetContext> = {
  height: 61,
  render: (row, context) => (
    <>
      <div className="cardLine">
        <span className={classes.lead}>
          <CheckMark row={row} context={context} />
          <bdi className="cut">{row.title}</bdi>
        </span>
        <Severity row={row} />
      </div>
      <div className="cardLine dim">
        <bdi className="cut">{row.version || row.kb}</bdi>
        <span className={classes.lead}>
          {row.machines === 1 ? '1 machine' : `${row.machines} machines`}
          {row.needs_reboot && <Restart />}
        </span>
      </div>
    </>
  ),
}

// The keyboard uses Space for it.
function CheckMark({ row, context: { checked, toggle } }: { row: FleetPatch; context: FleetContext }) {
  return (
    <span onClick={(event) => event.stopPropagation()}>
      <Checkbox
        size="xs"
        tabIndex={-1}
        aria-label={`Select ${row.title}`}
        checked={checked.has(row.patch)}
        onChange={() => toggle(row)}
      />
    </span>
  )
}
