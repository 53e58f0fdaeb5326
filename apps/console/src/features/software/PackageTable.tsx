import { useMediaQuery } from '@mantine/hooks'
import { IconDevices } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { ContextMenu } from '../../ui/dialog/ContextMenu.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import type { TableSort } from '../../ui/table/data-column.ts'
import type { MenuEntry, Point } from '../../ui/dialog/menu-entry.ts'
import list from '../../ui/layout/ListPane.module.css'
import { PACKAGE_CARD, PACKAGE_COLUMNS, PACKAGE_COLUMNS_PX } from './software-columns.tsx'
import { findPackages, packageRowKey, type PackageRow } from './software-rows.ts'

interface PackageTableProps {
  packages: readonly PackageRow[]
  search: string
  sort: TableSort
  onSort: (sort: TableSort) => void
}

/** The packages of a machine. Opening one shows which other machines have it. */
export function PackageTable({ packages, search, sort, onSort }: PackageTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const navigate = useNavigate()
  const [selected, setSelected] = useState<string>()
  const [menu, setMenu] = useState<{ row: PackageRow; at: Point }>()
  const rows = useMemo(() => findPackages(packages, search, sort), [packages, search, sort])
  const showMachines = ({ name, title }: PackageRow) =>
    void navigate({ to: '/software', search: { search: name, title } })
  const entriesOf = (row: PackageRow): MenuEntry[] => [
    {
      id: 'machines',
      label: 'Machines that have it',
      icon: IconDevices,
      shortcut: 'Enter',
      run: () => showMachines(row),
    },
  ]
  return (
    <div className={list.table}>
      <DataTable
        label="Software"
        rows={rows}
        rowKey={packageRowKey}
        columns={PACKAGE_COLUMNS}
        context={undefined}
        rowHeight={28}
        minWidth={PACKAGE_COLUMNS_PX}
        sort={sort}
        onSort={(column) => onSort({ column, descending: sort.column === column && !sort.descending })}
        selected={selected}
        onSelect={(row) => setSelected(row && packageRowKey(row))}
        onOpen={showMachines}
        onDoubleClick={showMachines}
        onMenu={(row, at) => setMenu({ row, at })}
        card={hasCards ? PACKAGE_CARD : undefined}
        scrollKey={`${sort.column} ${sort.descending} ${search}`}
        empty={
          <EmptyState
            message={
              packages.length === 0
                ? 'Nothing is installed on this machine.'
                : 'No package has all of these words.'
            }
          />
        }
      />
      {menu !== undefined && (
        <ContextMenu
          label={`Package ${menu.row.name}`}
          at={menu.at}
          entries={entriesOf(menu.row)}
          onClose={() => setMenu(undefined)}
        />
      )}
    </div>
  )
}
