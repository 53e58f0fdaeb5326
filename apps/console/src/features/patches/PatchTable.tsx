import { useMediaQuery } from '@mantine/hooks'
import { editPatch, listPatches, type MachinePatch, type PatchAction } from '@muster/contract/api/patches'
import {
  IconArrowBackUp,
  IconBan,
  IconCheck,
  IconExternalLink,
  IconHandStop,
  IconRotateClockwise,
  IconShieldCheck,
  IconShieldDown,
} from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { formatFileSize } from '@muster/rules/text/units'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { ContextMenu } from '../../ui/dialog/ContextMenu.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import type { DataCard, DataColumn, TableSort } from '../../ui/table/data-column.ts'
import { divider, type MenuEntry, type Point } from '../../ui/dialog/menu-entry.ts'
import { actionLabel, findPatches, severityLabel, versionLabel } from './patch-rows.ts'
import classes from './Patches.module.css'

interface PatchTableProps {
  patches: readonly MachinePatch[]
  /** Whether the last scan had a problem: an empty list then says little. */
  hasProblem: boolean
  shown: { search: string; sort: TableSort }
  onSort: (sort: TableSort) => void
  onInstall: (patches: readonly MachinePatch[]) => void
}

/** The patches of a machine. Opening one asks whether to install it. */
export function PatchTable({ patches, hasProblem, shown, onSort, onInstall }: PatchTableProps) {
  const { search, sort } = shown
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const [selected, setSelected] = useState<string>()
  const [menu, setMenu] = useState<{ row: MachinePatch; at: Point }>()
  const rows = useMemo(() => findPatches(patches, search, sort), [patches, search, sort])
  const install = (row: MachinePatch) => onInstall([row])
  const decide = useDecide()
  return (
    <div className="pane">
      <DataTable
        label="Patches"
        rows={rows}
        rowKey={({ guid }) => guid}
        columns={PATCH_COLUMNS}
        context={undefined}
        rowHeight={28}
        minWidth={PATCH_COLUMNS_PX}
        sort={sort}
        onSort={(column) => onSort({ column, descending: sort.column === column && !sort.descending })}
        selected={selected}
        onSelect={(row) => setSelected(row?.guid)}
        onOpen={install}
        onDoubleClick={install}
        onMenu={(row, at) => setMenu({ row, at })}
        card={hasCards ? PATCH_CARD : undefined}
        scrollKey={`${sort.column} ${sort.descending} ${search}`}
        empty={
          <EmptyState
            message={
              patches.length > 0
                ? 'No patches match the search.'
                : hasProblem
                  ? 'No pending patches are known.'
                  : 'No pending patches.'
            }
          />
        }
      />
      {menu !== undefined && (
        <ContextMenu
          label={`Patch ${menu.row.title}`}
          at={menu.at}
          entries={menuOf(menu.row, { install, decide })}
          onClose={() => setMenu(undefined)}
        />
      )}
    </div>
  )
}

interface PatchActions {
  install: (row: MachinePatch) => void
  decide: (change: { id: number; action: PatchAction }) => void
}

function menuOf(row: MachinePatch, { install, decide }: PatchActions): MenuEntry[] {
  const { id, action, by_policy } = row
  // A machine's link is shown only if a browser may open it.
  const url = row.more_info_urls.find((one) => /^https?:\/\//i.test(one))
  return [
    { id: 'install', label: 'Install', icon: IconShieldDown, shortcut: 'Enter', run: () => install(row) },
    divider('decision'),
    {
      id: 'approve',
      label: 'Approve',
      icon: IconCheck,
      disabledReason: action === 'approve' && !by_policy ? 'Already approved' : undefined,
      run: () => decide({ id, action: 'approve' }),
    },
    {
      id: 'ignore',
      label: 'Ignore',
      icon: IconBan,
      disabledReason: action === 'ignore' && !by_policy ? 'Already ignored' : undefined,
      run: () => decide({ id, action: 'ignore' }),
    },
    {
      id: 'nothing',
      label: 'Do nothing by policy',
      icon: IconHandStop,
      disabledReason: action === 'nothing' ? 'Policies do nothing already' : undefined,
      run: () => decide({ id, action: 'nothing' }),
    },
    {
      id: 'undecided',
      label: 'Reset decision',
      icon: IconArrowBackUp,
      disabledReason:
        action === 'inherit' ? 'No decision to reset' : by_policy ? 'Decided by a policy' : undefined,
      run: () => decide({ id, action: 'inherit' }),
    },
    divider('more'),
    {
      id: 'more',
      label: 'More info',
      icon: IconExternalLink,
      disabledReason: url === undefined ? 'No page available' : undefined,
      run: () => void window.open(url, '_blank', 'noopener,noreferrer'),
    },
  ]
}

function useDecide(): PatchActions['decide'] {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id, action }: { id: number; action: PatchAction }) =>
      call(editPatch, { params: { id }, body: { action } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKey(listPatches) }),
  }).mutate
}

const PATCH_COLUMNS: readonly DataColumn<MachinePatch>[] = [
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
    render: ({ categories }) => <bdi className="dim">{categories.join(', ')}</bdi>,
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

const PATCH_COLUMNS_PX = 856

const PATCH_CARD: DataCard<MachinePatch, undefined> = {
  height: 61,
  render: (row) => (
    <>
      <div className="cardLine">
        <bdi className="cut">{row.title}</bdi>
        <Severity row={row} />
      </div>
      <div className="cardLine dim">
        <bdi className="cut">{versionLabel(row) || row.kb}</bdi>
        <span>{actionLabel(row)}</span>
        {row.needs_reboot && <Restart />}
      </div>
    </>
  ),
}

export function Severity({ row }: { row: Pick<MachinePatch, 'severity' | 'security'> }) {
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

export function Restart() {
  return (
    <span role="img" aria-label="Needs a restart" data-tip="Needs a restart">
      <IconRotateClockwise size={14} stroke={1.75} aria-hidden />
    </span>
  )
}
