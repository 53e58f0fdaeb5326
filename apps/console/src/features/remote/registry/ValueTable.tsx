import { useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'
import type { RegistryEntry } from '@muster/contract/api/registry'
import { formatFileSize } from '@muster/rules/text/units'
import { makeVisible } from '@muster/rules/text/safe-text'
import { DataTable } from '../../../ui/table/DataTable.tsx'
import { ContextMenu } from '../../../ui/dialog/ContextMenu.tsx'
import { EmptyState } from '../../../ui/layout/States.tsx'
import type { DataCard, DataColumn } from '../../../ui/table/data-column.ts'
import type { MenuEntry, Point } from '../../../ui/dialog/menu-entry.ts'

const nameOf = ({ name }: RegistryEntry) => (name === '' ? '(Default)' : makeVisible(name))

const COLUMNS: readonly DataColumn<RegistryEntry, undefined>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(120px, 0.6fr)',
    render: (value) => <bdi className={value.name === '' ? 'dim' : undefined}>{nameOf(value)}</bdi>,
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
    numeric: true,
    render: ({ size }) => formatFileSize(size),
  },
]

const CARD: DataCard<RegistryEntry, undefined> = {
  height: 61,
  render: (value) => (
    <>
      <div className="cardLine">
        <bdi className="cut">{nameOf(value)}</bdi>
        <span className="dim">{value.type}</span>
      </div>
      <div className="cardLine dim">
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
  menuOf: (name: string) => readonly MenuEntry[]
}

/** The values of a key. */
export function ValueTable({ path, values, selected, onSelect, onEdit, menuOf }: ValueTableProps) {
  const [menu, setMenu] = useState<{ value: RegistryEntry; at: Point }>()
  const edit = ({ name }: RegistryEntry) => onEdit(name)
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  return (
    <>
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
        onOpen={edit}
        onDoubleClick={edit}
        onMenu={(value, at) => setMenu({ value, at })}
        menuOf={({ name }) => menuOf(name)}
        card={hasCards ? CARD : undefined}
        scrollKey={path}
        empty={<EmptyState message="No values" />}
      />
      {menu !== undefined && (
        <ContextMenu
          label={nameOf(menu.value)}
          at={menu.at}
          entries={menuOf(menu.value.name)}
          onClose={() => setMenu(undefined)}
        />
      )}
    </>
  )
}
