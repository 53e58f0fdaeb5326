import { useMediaQuery } from '@mantine/hooks'
import type { SoftwareTitle } from '@muster/contract/api/software'
import type { ReactNode } from 'react'
import { DataTable } from '../../ui/table/DataTable.tsx'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import list from '../../ui/layout/ListPane.module.css'
import { SOURCE_LABELS } from './software-rows.ts'

/** So many stand in a row; all of them stand in the tooltip. */
const VERSIONS_SHOWN = 3

const COLUMNS: readonly DataColumn<SoftwareTitle>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(180px, 1.4fr)',
    sortable: true,
    render: ({ name }) => <bdi>{name}</bdi>,
  },
  {
    id: 'machines',
    title: 'Machines',
    width: '90px',
    numeric: true,
    render: ({ machines }) => machines,
    watch: ({ machines }) => machines,
  },
  {
    id: 'versions',
    title: 'Versions',
    width: 'minmax(200px, 1.6fr)',
    render: ({ versions }) => (
      <bdi data-tip={versions.map(versionLabel).join('\n')}>{versionsLabel(versions)}</bdi>
    ),
  },
  {
    id: 'publisher',
    title: 'Publisher',
    width: 'minmax(140px, 1.2fr)',
    render: ({ publisher }) => <bdi>{publisher}</bdi>,
  },
  { id: 'source', title: 'Source', width: '104px', render: ({ source }) => SOURCE_LABELS[source] },
]
const COLUMNS_PX = 760

const CARD: DataCard<SoftwareTitle, undefined> = {
  height: 61,
  render: ({ name, machines, versions }) => (
    <>
      <div className="cardLine">
        <bdi className="cut">{name}</bdi>
        <span>{machines === 1 ? '1 machine' : `${machines} machines`}</span>
      </div>
      <div className={`cardLine ${list.dim}`}>
        <bdi className="cut">{versionsLabel(versions)}</bdi>
      </div>
    </>
  ),
}

interface TitleTableProps {
  rows: readonly SoftwareTitle[]
  sort: 'name' | '-name'
  onSort: () => void
  selected: string | undefined
  onSelect: (title: string | undefined) => void
  /** The machines of one take half of the room. */
  asCards: boolean
  scrollKey: string
  empty: ReactNode
}

export function TitleTable({ rows, sort, onSort, selected, onSelect, asCards, ...rest }: TitleTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  return (
    <DataTable
      label="Software of all machines"
      rows={rows}
      rowKey={({ title }) => title}
      columns={COLUMNS}
      context={undefined}
      rowHeight={28}
      minWidth={COLUMNS_PX}
      sort={{ column: 'name', descending: sort === '-name' }}
      onSort={onSort}
      selected={selected}
      onSelect={(row) => onSelect(row?.title)}
      card={hasCards || asCards ? CARD : undefined}
      {...rest}
    />
  )
}

type Versions = SoftwareTitle['versions']

const versionLabel = ({ version, machines }: Versions[number]) => `${version || 'unknown'} (${machines})`

function versionsLabel(versions: Versions): string {
  const shown = versions.slice(0, VERSIONS_SHOWN).map(versionLabel).join(', ')
  const rest = versions.length - VERSIONS_SHOWN
  return rest > 0 ? `${shown}, ${rest} more` : shown
}
