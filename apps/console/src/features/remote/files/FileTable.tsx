import { useMediaQuery } from '@mantine/hooks'
import type { FileEntry } from '@muster/contract/agent/files'
import { type ReactNode, useMemo, useState } from 'react'
import { ContextMenu } from '../../../ui/dialog/ContextMenu.tsx'
import { DataTable } from '../../../ui/table/DataTable.tsx'
import type { Point } from '../../../ui/dialog/menu-entry.ts'
import table from '../../../ui/layout/ListPane.module.css'
import { FILE_CARD, FILE_COLUMNS, FILE_COLUMNS_PX } from './file-columns.tsx'
import { type FileActions, fileMenu } from './file-menu.ts'
import { sortEntries } from './file-rows.ts'

interface FileTableProps {
  entries: readonly FileEntry[]
  /** Changes with the folder and the search. */
  place: string
  /** All of the folder is here: it can be sorted by any column. */
  isWhole: boolean
  empty: ReactNode
  actions: FileActions
}

export function FileTable({ entries, place, isWhole, empty, actions }: FileTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const [wanted, setSort] = useState({ column: 'name', descending: false })
  const [selected, setSelected] = useState<string>()
  const [menu, setMenu] = useState<{ entry: FileEntry; at: Point }>()
  const sort = isWhole ? wanted : undefined
  const rows = useMemo(() => (sort === undefined ? entries : sortEntries(entries, sort)), [entries, sort])
  return (
    <div className={table.table}>
      <DataTable
        label="Files"
        rows={rows}
        rowKey={({ raw }) => raw}
        columns={FILE_COLUMNS}
        context={undefined}
        rowHeight={28}
        minWidth={FILE_COLUMNS_PX}
        sort={sort}
        onSort={(column) =>
          setSort((before) => ({ column, descending: before.column === column && !before.descending }))
        }
        selected={selected}
        onSelect={(entry) => setSelected(entry?.raw)}
        onOpen={actions.open}
        onDoubleClick={actions.open}
        onMenu={(entry, at) => setMenu({ entry, at })}
        menuOf={(entry) => fileMenu(entry, actions)}
        card={hasCards ? FILE_CARD : undefined}
        scrollKey={place}
        empty={empty}
      />
      {menu !== undefined && (
        <ContextMenu
          label={menu.entry.name}
          at={menu.at}
          entries={fileMenu(menu.entry, actions)}
          onClose={() => setMenu(undefined)}
        />
      )}
    </div>
  )
}
