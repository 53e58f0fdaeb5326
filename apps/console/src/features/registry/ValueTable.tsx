import { useMediaQuery } from '@mantine/hooks'
import { IconEdit, IconTextSize, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import type { RegistryEntry } from '@muster/contract/api/registry'
import { formatFileSize } from '@muster/rules/file-size'
import { makeVisible } from '@muster/rules/visible-text'
import { DataTable } from '../../ui/DataTable.tsx'
import { ContextMenu } from '../../ui/ContextMenu.tsx'
import { EmptyState } from '../../ui/States.tsx'
import type { DataCard, DataColumn } from '../../ui/data-column.ts'
import { divider, type MenuEntry, type Point } from '../../ui/menu-entry.ts'
import classes from '../../ui/ListPane.module.css'
import type { OpenDialog } from './registry-dialog.ts'

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
  onAsk: (dialog: OpenDialog) => void
}

/** The values of a key. */
export function ValueTable({ path, values, selected, onSelect, onAsk }: ValueTableProps) {
  const [menu, setMenu] = useState<{ value: RegistryEntry; at: Point }>()
  const edit = ({ name }: RegistryEntry) => onAsk({ what: 'edit-value', name })
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
        card={hasCards ? CARD : undefined}
        scrollKey={path}
        empty={<EmptyState message="This key has no values." />}
      />
      {menu !== undefined && (
        <ContextMenu
          label={nameOf(menu.value)}
          at={menu.at}
          entries={valueMenu(menu.value, onAsk)}
          onClose={() => setMenu(undefined)}
        />
      )}
    </>
  )
}

/** As regedit has it. */
function valueMenu({ name }: RegistryEntry, onAsk: (dialog: OpenDialog) => void): MenuEntry[] {
  return [
    {
      id: 'edit',
      label: 'Edit value',
      icon: IconEdit,
      shortcut: 'Enter',
      run: () => onAsk({ what: 'edit-value', name }),
    },
    {
      id: 'rename',
      label: 'Rename value',
      icon: IconTextSize,
      run: () => onAsk({ what: 'rename-value', name }),
    },
    divider('change'),
    {
      id: 'delete',
      label: 'Delete value',
      icon: IconTrash,
      danger: true,
      run: () => onAsk({ what: 'delete-value', name }),
    },
  ]
}
