import { useMediaQuery } from '@mantine/hooks'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { Check } from '@muster/contract/api/checks'
import { nameCheck } from '@muster/rules/checks/check-name'
import { useMemo, useState } from 'react'
import { ContextMenu } from '../../ui/dialog/ContextMenu.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { formatDate } from '../../ui/layout/date-format.ts'
import type { Point } from '../../ui/dialog/menu-entry.ts'
import { useNow } from '../../ui/layout/use-now.ts'
import { usePane } from '../agents/use-pane.ts'
import type { CheckActions } from './use-check-actions.ts'
import classes from './ChecksPane.module.css'
import { CHECK_CARD, CHECK_COLUMNS, CHECK_COLUMNS_PX, type CheckContext } from './check-columns.tsx'

const ROW_PX = 32
const TICK_MS = 5000

interface CheckTableProps {
  agent: AgentDetail
  checks: readonly Check[]
  actions: CheckActions
}

/** The checks, with their menu, clicks and keys. */
export function CheckTable({ agent, checks, actions }: CheckTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const { entry, setEntry } = usePane()
  const [menu, setMenu] = useState<{ id: number; at: Point }>()
  const nowMs = useNow(TICK_MS)
  const context = useMemo<CheckContext>(
    () => ({
      nowMs,
      usualSeconds: agent.check_interval,
      formatExact: (instant) => `${formatDate(instant, 'dddd, D MMMM YYYY, HH:mm:ss Z')}\n${instant}`,
      openMenu: ({ id }, at) => {
        setEntry(`${id}`)
        setMenu({ id, at })
      },
      ...(actions.explain === undefined ? {} : { explain: actions.explain }),
    }),
    [nowMs, agent.check_interval, setEntry, actions.explain],
  )
  const asked = checks.find(({ id }) => id === menu?.id)
  return (
    <div className={classes.table}>
      <DataTable
        label="Checks"
        rows={checks}
        rowKey={({ id }) => `${id}`}
        columns={CHECK_COLUMNS}
        context={context}
        rowHeight={ROW_PX}
        minWidth={CHECK_COLUMNS_PX}
        selected={entry}
        onSelect={(check) => setEntry(check && `${check.id}`)}
        {...(hasCards ? { onClickRow: actions.openCheck } : {})}
        onOpen={actions.openCheck}
        onDoubleClick={actions.openCheck}
        onMenu={({ id }, at) => setMenu({ id, at })}
        card={hasCards ? CHECK_CARD : undefined}
      />
      {menu !== undefined && asked !== undefined && (
        <ContextMenu
          label={`Actions on ${nameCheck(asked)}`}
          at={menu.at}
          entries={actions.menuOf(asked)}
          onClose={() => setMenu(undefined)}
        />
      )}
    </div>
  )
}
