import type { AgentRow } from '@muster/contract/api/agents'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, type Ref, Suspense, useMemo, useState } from 'react'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { DataTable } from '../../ui/table/DataTable.tsx'
import type { Point } from '../../ui/dialog/menu-entry.ts'
import { useNow, useTipDate } from '../../ui/layout/use-now.ts'
import { notify } from '../../app/shell/notify.ts'
import { useDashInfo, useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { MACHINE_CARD, MACHINE_COLUMNS, MACHINE_COLUMNS_WITH_VERSION } from './machine-columns.tsx'
import type { MachineView } from './use-machine-view.ts'
import type { useTableState } from './use-table-state.ts'

const MachineMenu = lazyPart(() => import('./MachineMenu.tsx').then((file) => file.MachineMenu))

const NOW_EVERY_MS = 10_000
const ROW_PX = { compact: 32, comfortable: 40 }

interface MachineTableProps {
  view: MachineView
  state: ReturnType<typeof useTableState>
  cards: boolean
  opensPage: boolean
  empty: ReactNode
  ref?: Ref<HTMLDivElement>
}

/** The machine table, with its menu, clicks and keys. */
export function MachineTable({ view, state, cards, opensPage, empty, ref }: MachineTableProps) {
  const { selected, setSelected, sort, compact } = state
  const [menuAt, setMenuAt] = useState<Point>()
  const navigate = useNavigate()
  const onDoubleClick = useDoubleClick()
  const context = useMachineContext()
  // Sorted by an address of a colleague, it is shown as well.
  const hasVersion = useDashInfo()?.show_agent_version === true || sort.column === 'version'
  const { columns, minWidth } = hasVersion ? MACHINE_COLUMNS_WITH_VERSION : MACHINE_COLUMNS
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
        columns={columns}
        context={context}
        rowHeight={compact ? ROW_PX.compact : ROW_PX.comfortable}
        minWidth={minWidth}
        sort={sort}
        onSort={state.toggleSort}
        selected={selected}
        onSelect={(row) => setSelected(row?.agent_id)}
        {...(opensPage ? { onClickRow: openPage } : {})}
        onOpen={openPage}
        onDoubleClick={(row) => {
          setSelected(row.agent_id, 'now')
          onDoubleClick(row)
        }}
        onMenu={(row, at) => {
          setSelected(row.agent_id, 'now')
          setMenuAt(at)
        }}
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
    </>
  )
}

const rowKey = (row: AgentRow) => row.agent_id

function useMachineContext() {
  const nowMs = useNow(NOW_EVERY_MS)
  const formatDate = useTipDate()
  const offered = useDashInfo()?.agent_version ?? null
  return useMemo(() => ({ nowMs, formatDate, offered }), [nowMs, formatDate, offered])
}

/** The action of a double click, from the user's preferences. */
function useDoubleClick(): (agent: { agent_id: string }) => void {
  const action = useDashInfo()?.dbl_click_action ?? 'editagent'
  const mayEdit = useMay('can_edit_agent')
  const { open } = useDialog()
  const navigate = useNavigate()
  return ({ agent_id }) => {
    const params = { agent_id }
    switch (action) {
      case 'editagent':
        if (mayEdit) open('edit-agent', agent_id)
        else void navigate({ to: '/agents/$agent_id', params })
        return
      case 'takecontrol':
        void navigate({ to: '/takecontrol/$agent_id', params })
        return
      case 'remotebg':
        void navigate({ to: '/remotebackground/$agent_id', params })
        return
      case 'urlaction':
        notify('URL actions do not exist yet. Choose another double-click action in Preferences.')
    }
  }
}
