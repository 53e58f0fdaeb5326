import type { AgentRow } from '@muster/contract/api/agents'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, type Ref, Suspense, useMemo, useState } from 'react'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { DataTable } from '../../ui/table/DataTable.tsx'
import type { Point } from '../../ui/dialog/menu-entry.ts'
import { useNow, useTipDate } from '../../ui/layout/use-now.ts'
import { notify } from '../../app/shell/notify.ts'
import { dashInfoQuery, may, meQuery, useDashInfo } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import type { HeadTarget } from '../../ui/table/DataHead.tsx'
import { useOpenUrlAction } from '../url-actions/use-url-actions.ts'
import { MACHINE_CARD } from './machine-columns.tsx'
import type { MachineMetrics } from './sort-machines.ts'
import type { useMachineColumns } from './use-machine-columns.ts'
import { EqualNamesMemory } from './equal-names.ts'
import type { MachineView } from './use-machine-view.ts'
import type { useTableState } from './use-table-state.ts'

const MachineMenu = lazyPart(() => import('./MachineMenu.tsx').then((file) => file.MachineMenu))
const ColumnHeadMenu = lazyPart(() => import('./ColumnHeadMenu.tsx').then((file) => file.ColumnHeadMenu))

const NOW_EVERY_MS = 10_000
const ROW_PX = { compact: 32, comfortable: 40 }

interface MachineTableProps {
  view: MachineView
  metrics: MachineMetrics
  /** All machines of the tab and node. */
  rows: readonly AgentRow[]
  columns: ReturnType<typeof useMachineColumns>
  checked: ReadonlySet<string>
  onCheck: (checked: ReadonlySet<string>) => void
  state: ReturnType<typeof useTableState>
  cards: boolean
  opensPage: boolean
  empty: ReactNode
  ref?: Ref<HTMLDivElement>
}

/** The machine table, with its menu, clicks and keys. */
export function MachineTable(props: MachineTableProps) {
  const { view, metrics, rows, columns: shown, checked, onCheck, state, cards, opensPage, empty, ref } = props
  const { selected, setSelected, sort, compact } = state
  const [menuAt, setMenuAt] = useState<Point>()
  const [headMenu, setHeadMenu] = useState<HeadTarget>()
  const navigate = useNavigate()
  const onDoubleClick = useDoubleClick()
  const context = useMachineContext(rows, metrics)
  const openPage = ({ agent_id }: AgentRow) => {
    // Written at once: Back finds the machine selected, and a later write would cancel the navigation.
    setSelected(agent_id, 'now')
    void navigate({ to: '/agents/$agent_id', params: { agent_id } })
  }
  return (
    <>
      <DataTable
        {...(ref === undefined ? {} : { ref })}
        label="Machines"
        rows={view.shown}
        rowKey={rowKey}
        columns={shown.columns}
        context={context}
        rowHeight={compact ? ROW_PX.compact : ROW_PX.comfortable}
        minWidth={shown.minWidth}
        onResize={shown.resize}
        onHeadMenu={setHeadMenu}
        sort={sort}
        onSort={state.toggleSort}
        selected={selected}
        onSelect={(row) => setSelected(row?.agent_id)}
        {...(opensPage ? { onClickRow: openPage } : {})}
        onOpen={openPage}
        onDoubleClick={(row) => {
          setSelected(row.agent_id, 'now')
          void onDoubleClick(row)
        }}
        onMenu={(row, at) => {
          setSelected(row.agent_id, 'now')
          setMenuAt(at)
        }}
        checks={{ checked, onChange: onCheck, label: checkLabel, labelAll: CHECK_ALL }}
        empty={empty}
        scrollKey={`${state.text} ${sort.column} ${sort.descending}`}
        card={cards ? MACHINE_CARD : undefined}
      />
      {menuAt !== undefined && (
        <Suspense fallback={null}>
          <MachineMenu
            agent={view.shown.find(({ agent_id }) => agent_id === selected)}
            at={menuAt}
            onClose={() => setMenuAt(undefined)}
          />
        </Suspense>
      )}
      {headMenu !== undefined && (
        <Suspense fallback={null}>
          <ColumnHeadMenu target={headMenu} columns={shown} onClose={() => setHeadMenu(undefined)} />
        </Suspense>
      )}
    </>
  )
}

const rowKey = (row: AgentRow) => row.agent_id
const checkLabel = (row: AgentRow) => `Select ${row.hostname}`
const CHECK_ALL = 'Select all listed machines'

function useMachineContext(rows: readonly AgentRow[], metrics: MachineMetrics) {
  const nowMs = useNow(NOW_EVERY_MS)
  const formatDate = useTipDate()
  const offered = useDashInfo()?.agent_version ?? null
  const [names] = useState(() => new EqualNamesMemory())
  const equalNames = useMemo(() => names.find(rows), [names, rows])
  return useMemo(
    () => ({ nowMs, formatDate, offered, equalNames, metrics }),
    [nowMs, formatDate, offered, equalNames, metrics],
  )
}

/** The action of a double click, from the user's preferences, even if these failed to load before. */
function useDoubleClick(): (agent: { agent_id: string }) => Promise<void> {
  const queryClient = useQueryClient()
  const { open } = useDialog()
  const navigate = useNavigate()
  const openUrlAction = useOpenUrlAction()
  return async ({ agent_id }) => {
    const params = { agent_id }
    const [info, me] = await Promise.all([
      queryClient.ensureQueryData(dashInfoQuery).catch(() => undefined),
      queryClient.ensureQueryData(meQuery).catch(() => undefined),
    ])
    switch (info?.dbl_click_action ?? 'editagent') {
      case 'editagent':
        if (me && may(me, 'can_edit_agent')) open('edit-agent', agent_id)
        else void navigate({ to: '/agents/$agent_id', params })
        return
      case 'takecontrol':
        void navigate({ to: '/takecontrol/$agent_id', params })
        return
      case 'remotebg':
        void navigate({ to: '/remotebackground/$agent_id', params })
        return
      case 'urlaction':
        if (info?.url_action == null) notify('Choose the URL action of a double click in Preferences.')
        else openUrlAction(info.url_action, { agent_id })
    }
  }
}
