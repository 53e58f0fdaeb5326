import { useMediaQuery } from '@mantine/hooks'
import type { Patch } from '@muster/contract/agent/patches'
import { IconExternalLink, IconShieldDown } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { ContextMenu } from '../../ui/ContextMenu.tsx'
import { DataTable } from '../../ui/DataTable.tsx'
import { EmptyState } from '../../ui/States.tsx'
import type { TableSort } from '../../ui/data-column.ts'
import list from '../../ui/ListPane.module.css'
import type { MenuEntry, Point } from '../../ui/menu-entry.ts'
import type { InstallWish } from './InstallPatchesDialog.tsx'
import { PATCH_CARD, PATCH_COLUMNS, PATCH_COLUMNS_PX } from './patch-columns.tsx'
import { findPatches } from './patch-rows.ts'

interface PatchTableProps {
  patches: readonly Patch[]
  shown: { search: string; sort: TableSort }
  onSort: (sort: TableSort) => void
  onInstall: (wish: InstallWish) => void
}

/** The patches of a machine. Opening one asks whether to install it. */
export function PatchTable({ patches, shown, onSort, onInstall }: PatchTableProps) {
  const { search, sort } = shown
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const [selected, setSelected] = useState<string>()
  const [menu, setMenu] = useState<{ row: Patch; at: Point }>()
  const rows = useMemo(() => findPatches(patches, search, sort), [patches, search, sort])
  const install = (row: Patch) => onInstall({ patches: [row], isAll: false })
  return (
    <div className={list.table}>
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
              patches.length === 0 ? 'Nothing waits to be installed.' : 'No patch has all of these words.'
            }
          />
        }
      />
      {menu !== undefined && (
        <ContextMenu
          label={`Patch ${menu.row.title}`}
          at={menu.at}
          entries={menuOf(menu.row, install)}
          onClose={() => setMenu(undefined)}
        />
      )}
    </div>
  )
}

function menuOf(row: Patch, install: (row: Patch) => void): MenuEntry[] {
  // What a machine says is an address is one only if a browser may open it.
  const url = row.more_info_urls.find((one) => /^https?:\/\//i.test(one))
  return [
    { id: 'install', label: 'Install', icon: IconShieldDown, shortcut: 'Enter', run: () => install(row) },
    {
      id: 'more',
      label: 'More info',
      icon: IconExternalLink,
      disabledReason: url === undefined ? 'The system names no page about it.' : undefined,
      run: () => void window.open(url, '_blank', 'noopener,noreferrer'),
    },
  ]
}
