import type { MachinePatch } from '@muster/contract/api/patches'
import { formatFileSize } from '@muster/rules/text/file-size'
import { IconRotateClockwise, IconShieldCheck } from '@tabler/icons-react'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import list from '../../ui/layout/ListPane.module.css'
import classes from './Patches.module.css'
import { actionLabel, severityLabel, versionLabel } from './patch-rows.ts'

export const PATCH_COLUMNS: readonly DataColumn<MachinePatch>[] = [
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
    width: 'minmax(200px, 2fr)',
    sortable: true,
    render: ({ title, description }) => <bdi data-tip={description || undefined}>{title}</bdi>,
  },
  {
    id: 'version',
    title: 'Version',
    width: 'minmax(180px, 1.6fr)',
    sortable: true,
    render: (row) => <bdi data-tip={versionLabel(row) || undefined}>{versionLabel(row) || row.kb}</bdi>,
  },
  {
    id: 'more',
    title: 'More info',
    width: 'minmax(120px, 1fr)',
    render: ({ categories }) => <bdi className={list.dim}>{categories.join(', ')}</bdi>,
  },
  {
    id: 'action',
    title: 'Decision',
    width: '96px',
    sortable: true,
    render: (row) => actionLabel(row),
  },
  {
    id: 'size',
    title: 'Size',
    width: '84px',
    numeric: true,
    sortable: true,
    render: ({ size }) => (size === null ? '' : formatFileSize(size)),
  },
  {
    id: 'restart',
    title: 'Restart',
    titleHidden: true,
    width: '32px',
    render: (row) => row.needs_reboot && <Restart />,
  },
]

export const PATCH_COLUMNS_PX = 856

export const PATCH_CARD: DataCard<MachinePatch, undefined> = {
  height: 61,
  render: (row) => (
    <>
      <div className="cardLine">
        <bdi className="cut">{row.title}</bdi>
        <Severity row={row} />
      </div>
      <div className={`cardLine ${list.dim}`}>
        <bdi className="cut">{versionLabel(row) || row.kb}</bdi>
        <span>{actionLabel(row)}</span>
        {row.needs_reboot && <Restart />}
      </div>
    </>
  ),
}

function Severity({ row }: { row: MachinePatch }) {
  const isGrave = row.severity === 'Critical' || row.severity === 'Important'
  return (
    <span
      className={classes.severity}
      data-tone={isGrave ? 'negative' : row.security ? 'warning' : undefined}
    >
      {row.security && <IconShieldCheck size={14} stroke={1.75} aria-hidden />}
      {severityLabel(row)}
    </span>
  )
}

function Restart() {
  return (
    <span role="img" aria-label="Needs a restart" data-tip="Needs a restart">
      <IconRotateClockwise size={14} stroke={1.75} aria-hidden />
    </span>
  )
}
