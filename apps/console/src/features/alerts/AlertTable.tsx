import { useMediaQuery } from '@mantine/hooks'
import type { Alert } from '@muster/contract/api/alerts'
import { type ReactNode, use, useMemo, useState } from 'react'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { ContextMenu } from '../../ui/dialog/ContextMenu.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { DateFormat } from '../../ui/layout/date-format-context.ts'
import { formatDate } from '../../ui/layout/date-format.ts'
import type { Point } from '../../ui/dialog/menu-entry.ts'
import { useNow } from '../../ui/layout/use-now.ts'
import { type AlertContext, alertCard, alertColumns } from './alert-columns.tsx'
import { alertName } from './alert-words.ts'
import type { AlertActions } from './use-alert-actions.tsx'
import type { Chosen } from './use-chosen.ts'

const ROW_PX = 32
const TICK_MS = 10_000

interface AlertTableProps {
  alerts: readonly Alert[]
  chosen: Chosen
  actions: AlertActions
  ofAgent: boolean
  empty: ReactNode
}

/** The alerts, with what clicks and keys do: Enter opens, Space checks, the menu key shows the rest. */
export function AlertTable({ alerts, chosen, actions, ofAgent, empty }: AlertTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const { open } = useDialog()
  const [selected, setSelected] = useState<string>()
  const [menu, setMenu] = useState<{ id: number; at: Point }>()
  const nowMs = useNow(TICK_MS)
  const format = use(DateFormat)
  const { mayManage } = actions
  const { ids, toggle } = chosen
  const context = useMemo<AlertContext>(
    () => ({
      nowMs,
      formatDate: (instant) => formatDate(instant, format),
      formatExact: (instant) => `${formatDate(instant, 'dddd, D MMMM YYYY, HH:mm:ss Z')}\n${instant}`,
      checked: ids,
      toggle: mayManage ? toggle : undefined,
    }),
    [nowMs, format, ids, mayManage, toggle],
  )
  const choice = { ofAgent, canCheck: mayManage }
  const { columns, minWidth } = useMemo(
    () => alertColumns({ ofAgent, canCheck: mayManage }),
    [ofAgent, mayManage],
  )
  const asked = alerts.find(({ id }) => id === menu?.id)
  const show = ({ id }: Alert) => open('alert', id)
  return (
    <>
      <DataTable
        label="Alerts"
        rows={alerts}
        rowKey={({ id }) => `${id}`}
        columns={columns}
        context={context}
        rowHeight={ROW_PX}
        minWidth={minWidth}
        selected={selected}
        onSelect={(alert) => setSelected(alert && `${alert.id}`)}
        onClickRow={show}
        onOpen={show}
        {...(mayManage ? { onToggle: toggle } : {})}
        onMenu={({ id }, at) => setMenu({ id, at })}
        card={hasCards ? alertCard(choice) : undefined}
        empty={empty}
      />
      {menu !== undefined && asked !== undefined && (
        <ContextMenu
          label={`Actions on ${alertName(asked)}`}
          at={menu.at}
          entries={actions.menuOf(asked)}
          onClose={() => setMenu(undefined)}
        />
      )}
    </>
  )
}
