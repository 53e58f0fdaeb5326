import { useMediaQuery } from '@mantine/hooks'
import type { MachinePatch } from '@muster/contract/api/patches'
import { useMemo, useState } from 'react'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import { findPatches, severityLabel } from './patch-rows.ts'

interface InstalledPatchTableProps {
  patches: readonly MachinePatch[]
  search: string
}

/** The installed patches of a machine, newest first. */
export function InstalledPatchTable({ patches, search }: InstalledPatchTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const [sort, setSort] = useState({ column: 'date', descending: true })
  const [selected, setSelected] = useState<number>()
  const rows = useMemo(() => findPatches(patches, search, sort), [patches, search, sort])
  return (
    <div className="pane">
      <DataTable
        label="Installed patches"
        rows={rows}
        rowKey={({ id }) => String(id)}
        columns={COLUMNS}
        context={undefined}
        rowHeight={28}
        minWidth={COLUMNS_PX}
        sort={sort}
        onSort={(column) =>
          setSort({ column, descending: sort.column === column ? !sort.descending : column === 'date' })
        }
        selected={selected === undefined ? undefined : String(selected)}
        onSelect={(row) => setSelected(row?.id)}
        card={hasCards ? CARD : undefined}
        scrollKey={`${sort.column} ${sort.descending} ${search}`}
        empty={
          <EmptyState
            message={
              patches.length > 0
                ? 'No installed patches match the search.'
                : 'No installed patches are known. The agent reports them after a scan.'
            }
          />
        }
      />
    </div>
  )
}

const COLUMNS: readonly DataColumn<MachinePatch>[] = [
  {
    id: 'date',
    title: 'Installed',
    width: '160px',
    sortable: true,
    render: ({ date_installed }) => <Time instant={date_installed} />,
  },
  {
    id: 'title',
    title: 'Name',
    width: 'minmax(200px, 2fr)',
    sortable: true,
    render: ({ title }) => <bdi data-tip={title}>{title}</bdi>,
  },
  {
    id: 'version',
    title: 'Version',
    width: 'minmax(160px, 1fr)',
    sortable: true,
    render: ({ version, kb }) => <bdi data-tip={version || undefined}>{version || kb}</bdi>,
  },
  {
    id: 'severity',
    title: 'Severity',
    width: '112px',
    sortable: true,
    // Few systems record it.
    render: (row) => row.severity !== '' && severityLabel(row),
  },
]

const COLUMNS_PX = 632

const CARD: DataCard<MachinePatch, undefined> = {
  height: 61,
  render: ({ title, version, kb, date_installed }) => (
    <>
      <div className="cardLine">
        <bdi className="cut">{title}</bdi>
      </div>
      <div className="cardLine dim">
        <bdi className="cut">{version || kb}</bdi>
        <Time instant={date_installed} />
      </div>
    </>
  ),
}
