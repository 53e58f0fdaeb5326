import { useMediaQuery } from '@mantine/hooks'
import type { Script } from '@muster/contract/api/scripts'
import { type ReactNode, type Ref, useMemo, useState } from 'react'
import { useMay } from '../../app/api/queries.ts'
import { ContextMenu } from '../../ui/dialog/ContextMenu.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import type { TableSort } from '../../ui/table/data-column.ts'
import type { Point } from '../../ui/dialog/menu-entry.ts'
import { RemoveScriptDialog } from './RemoveScriptDialog.tsx'
import { ScriptFolders } from './ScriptFolders.tsx'
import classes from './ScriptsDialog.module.css'
import { useChosenColumns, useTableView } from './library-memory.ts'
import { SCRIPT_CARD, type ScriptContext, leastWidth, showColumns } from './script-columns.tsx'
import { useScriptActions } from './use-script-actions.ts'
import { useScriptAddress } from './use-script-address.ts'

const ROW_PX = 32

interface ScriptListProps {
  scripts: readonly Script[]
  searched: boolean
  sort: TableSort
  onSort: (column: string) => void
  empty: ReactNode
  ref: Ref<HTMLDivElement>
}

/** The scripts as a table or in folders, with their menu and what clicks and keys do. */
export function ScriptList({ scripts, searched, sort, onSort, empty, ref }: ScriptListProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const mayManage = useMay('can_manage_scripts')
  const [isTable] = useTableView()
  const [chosen] = useChosenColumns()
  const [selected, setSelected] = useState<string>()
  const [menu, setMenu] = useState<{ id: number; at: Point }>()
  const [removed, setRemoved] = useState<Script>()
  const { openScript } = useScriptAddress()
  const { toggleFavorite, menuOf } = useScriptActions({ mayManage, onRemove: setRemoved })
  const context = useMemo<ScriptContext>(
    () => ({
      toggleFavorite: mayManage ? toggleFavorite : undefined,
      openMenu: ({ id }, at) => {
        setSelected(`${id}`)
        setMenu({ id, at })
      },
    }),
    [mayManage, toggleFavorite],
  )
  const columns = showColumns(chosen)
  const asked = scripts.find(({ id }) => id === menu?.id)
  const open = ({ id }: Script) => openScript(id)
  return (
    <div ref={ref} className={classes.list}>
      {isTable ? (
        <DataTable
          label="Scripts"
          rows={scripts}
          rowKey={({ id }) => `${id}`}
          columns={columns}
          context={context}
          rowHeight={ROW_PX}
          minWidth={leastWidth(columns)}
          sort={sort}
          onSort={onSort}
          selected={selected}
          onSelect={(row) => setSelected(row && `${row.id}`)}
          {...(hasCards ? { onClickRow: open } : {})}
          onOpen={open}
          onDoubleClick={open}
          onMenu={({ id }, at) => setMenu({ id, at })}
          card={hasCards ? SCRIPT_CARD : undefined}
          empty={empty}
        />
      ) : (
        <ScriptFolders
          scripts={scripts}
          searched={searched}
          selected={selected}
          onSelect={hasCards ? open : ({ id }) => setSelected(`${id}`)}
          onOpen={open}
          onMenu={context.openMenu}
          empty={empty}
        />
      )}
      {menu !== undefined && asked !== undefined && (
        <ContextMenu
          label={`Actions on ${asked.name}`}
          at={menu.at}
          entries={menuOf(asked)}
          onClose={() => setMenu(undefined)}
        />
      )}
      {removed !== undefined && <RemoveScriptDialog script={removed} onClose={() => setRemoved(undefined)} />}
    </div>
  )
}
