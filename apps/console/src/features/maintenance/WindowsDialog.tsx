import { Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { MaintenanceWindow } from '@muster/contract/api/maintenance'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, use, useMemo, useState } from 'react'
import { GuardedDialog, LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs/dialogs.tsx'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { ContextMenu } from '../../ui/dialog/ContextMenu.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { DateFormat } from '../../ui/layout/date-format-context.ts'
import { formatDate } from '../../ui/layout/date-format.ts'
import type { Point } from '../../ui/dialog/menu-entry.ts'
import classes from './Maintenance.module.css'
import { RemoveWindowDialog } from './RemoveWindowDialog.tsx'
import { useWindowActions } from './use-window-actions.ts'
import { WINDOW_CARD, WINDOW_COLUMNS, type WindowContext } from './window-columns.tsx'
import { sortWindows } from './window-state.ts'
import { windowsQuery } from './windows-query.ts'

const TITLE = 'Maintenance windows'
const ROW_PX = 32
const TABLE_PX = 1080

/** Every maintenance window that this user sees: what is on, what comes, what is over. */
export function WindowsDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_list_agents" size="full" onClose={close}>
      <Dialog title={TITLE} size="full" onClose={close}>
        <Windows />
      </Dialog>
    </GuardedDialog>
  )
}

function Windows() {
  const { data: windows, error, refetch } = useQuery(windowsQuery)
  const [removed, setRemoved] = useState<MaintenanceWindow>()
  const actions = useWindowActions(setRemoved)
  const { open } = useDialog()
  const add = () => open('maintenance')
  return (
    <div className={classes.list}>
      <div className={classes.tools}>
        <span className={classes.dim} role="status">
          {windows !== undefined &&
            `${windows.filter(({ active }) => active).length} of ${windows.length} on`}
        </span>
        {actions.mayEdit && (
          <Button leftSection={<IconPlus size={16} stroke={1.75} aria-hidden />} onClick={add}>
            Plan maintenance
          </Button>
        )}
      </div>
      {windows === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} rows={8} />
      ) : (
        <WindowTable
          windows={windows}
          actions={actions}
          empty={
            <EmptyState message="No maintenance is planned. Machines alert at any time.">
              {actions.mayEdit && <Button onClick={add}>Plan the first one</Button>}
            </EmptyState>
          }
        />
      )}
      {removed !== undefined && <RemoveWindowDialog window={removed} onClose={() => setRemoved(undefined)} />}
    </div>
  )
}

interface WindowTableProps {
  windows: readonly MaintenanceWindow[]
  actions: ReturnType<typeof useWindowActions>
  empty: ReactNode
}

function WindowTable({ windows, actions, empty }: WindowTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const [selected, setSelected] = useState<string>()
  const [menu, setMenu] = useState<{ id: number; at: Point }>()
  const format = use(DateFormat)
  const context = useMemo<WindowContext>(
    () => ({
      format: (instant) => formatDate(instant, format),
      openMenu: ({ id }, at) => {
        setSelected(`${id}`)
        setMenu({ id, at })
      },
    }),
    [format],
  )
  const rows = useMemo(() => sortWindows(windows), [windows])
  const asked = rows.find(({ id }) => id === menu?.id)
  return (
    <div className={classes.table}>
      <DataTable
        label={TITLE}
        rows={rows}
        rowKey={({ id }) => `${id}`}
        columns={WINDOW_COLUMNS}
        context={context}
        rowHeight={ROW_PX}
        minWidth={TABLE_PX}
        selected={selected}
        onSelect={(row) => setSelected(row && `${row.id}`)}
        {...(hasCards ? { onClickRow: actions.edit } : {})}
        onOpen={actions.edit}
        onDoubleClick={actions.edit}
        onMenu={({ id }, at) => setMenu({ id, at })}
        card={hasCards ? WINDOW_CARD : undefined}
        empty={empty}
        autoFocus
      />
      {menu !== undefined && asked !== undefined && (
        <ContextMenu
          label={`Actions on the maintenance of ${asked.targets[0]?.name ?? 'nothing'}`}
          at={menu.at}
          entries={actions.menuOf(asked)}
          onClose={() => setMenu(undefined)}
        />
      )}
    </div>
  )
}
