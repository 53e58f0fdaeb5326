import { useMediaQuery } from '@mantine/hooks'
import type { RegistryEntry } from '@muster/contract/api/registry'
import { formatFileSize } from '@muster/rules/file-size'
import { makeVisible } from '@muster/rules/visible-text'
import { DataTable } from '../../ui/DataTable.tsx'
import { EmptyState } from '../../ui/States.tsx'
import type { DataCard, DataColumn } from '../../ui/data-column.ts'
import classes from '../../ui/ListPane.module.css'

const nameOf = ({ name }: RegistryEntry) => (name === '' ? '(Default)' : makeVisible(name))

const COLUMNS: readonly DataColumn<RegistryEntry, undefined>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(120px, 0.6fr)',
    render: (value) => <bdi className={value.name === '' ? classes.dim : undefined}>{nameOf(value)}</bdi>,
  },
  { id: 'type', title: 'Type', width: '150px', render: ({ type }) => type },
  {
    id: 'data',
    title: 'Data',
    width: 'minmax(180px, 1.4fr)',
    render: ({ data }) => <bdi>{makeVisible(data).replaceAll('\n', ' | ')}</bdi>,
  },
  {
    id: 'size',
    title: 'Size',
    width: '80px',
    render: ({ size }) => <span className={classes.number}>{formatFileSize(size)}</span>,
  },
]

const CARD: DataCard<RegistryEntry, undefined> = {
  height: 52,
  render: (value) => (
    <>
      <div className="cardLine">
        <bdi className="cut">{nameOf(value)}</bdi>
        <span className={classes.dim}>{value.type}</span>
      </div>
      <div className={`cardLine ${classes.dim}`}>
        <bdi className="cut">{makeVisible(value.data)}</bdi>
      </div>
    </>
  ),
}

interface ValueTableProps {
  path: string
  values: readonly RegistryEntry[]
  selected: string | undefined
  onSelect: (name: string | undefined) => void
  onEdit: (name: string) => void
}

/** The values of a key. */
export function ValueTable({ path, values, selected, onSelect, onEdit }: ValueTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  return (
    <DataTable
      label="Values"
      rows={values}
      rowKey={({ name }) => name}
      columns={COLUMNS}
      context={undefined}
      rowHeight={28}
      minWidth={560}
      selected={selected}
      onSelect={(row) => onSelect(row?.name)}
      onOpen={({ name }) => onEdit(name)}
      onDoubleClick={({ name }) => onEdit(name)}
      card={hasCards ? CARD : undefined}
      scrollKey={path}
      empty={<EmptyState message="This key has no values." />}
    />
  )
}
