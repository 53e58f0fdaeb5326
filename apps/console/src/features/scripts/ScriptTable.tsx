import { useMediaQuery } from '@mantine/hooks'
import type { Script } from '@muster/contract/api/scripts'
import { type ReactNode, type Ref, useMemo, useState } from 'react'
import { useMay } from '../../app/queries.ts'
import { ContextMenu } from '../../ui/ContextMenu.tsx'
import { DataTable } from '../../ui/DataTable.tsx'
import type { TableSort } from '../../ui/data-column.ts'
import type { Point } from '../../ui/menu-entry.ts'
import { RemoveScriptDialog } from './RemoveScriptDialog.tsx'
import classes from './ScriptsDialog.module.css'
import { SCRIPT_CARD, SCRIPT_COLUMNS, type ScriptContext } from './script-columns.tsx'
import { useScriptActions } from './use-script-actions.ts'
import { useScriptAddress } from './use-script-address.ts'

const ROW_PX = 32
const TABLE_PX = 980

interface ScriptTableProps {
  scripts: readonly Script[]
  sort: TableSort
  onSort: (column: string) => void
  empty: ReactNode
  ref: Ref<HTMLDivElement>
}

/** The scripts, with their menu and what clicks and keys do. */
export function ScriptTable({ scripts, sort, onSort, empty, ref }: ScriptTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const mayManage = useMay('can_manage_scripts')
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
  const asked = scripts.find(({ id }) => id === menu?.id)
  const open = ({ id }: Script) => openScript(id)
  return (
    <div className={classes.table}>
      <DataTable
        ref={ref}
        label="Scripts"
        rows={scripts}
        rowKey={({ id }) => `${id}`}
        columns={SCRIPT_COLUMNS}
        context={context}
        rowHeight={ROW_PX}
        minWidth={TABLE_PX}
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
