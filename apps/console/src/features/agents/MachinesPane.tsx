import type { AgentRow } from '@muster/contract/api/agents'
import { LOADING_DELAY_MS } from '@muster/rules/text/layout'
import type { TreeNode } from '@muster/rules/search/tree-node'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useId, useMemo, useRef } from 'react'
import { describeError, isRefused } from '../../app/api/describe-error.ts'
import { ErrorState, NoPermission, SkeletonRows } from '../../ui/layout/States.tsx'
import { useDrawn } from '../../ui/layout/use-drawn.ts'
import { useLasting } from '../../ui/layout/use-lasting.ts'
import { useNodeTotal, useSelectedNode } from '../dashboard/use-node.ts'
import { MachineFilter } from './MachineFilter.tsx'
import { MachineSearch } from './MachineSearch.tsx'
import { MachineTable } from './MachineTable.tsx'
import { MachineTabs, countTabs } from './MachineTabs.tsx'
import classes from './MachinesPane.module.css'
import { NoMachines } from './NoMachines.tsx'
import { firstMachinesQuery, machinesQuery } from './machines-query.ts'
import { formatSort } from './sort-machines.ts'
import { type MachineView, useMachineView } from './use-machine-view.ts'
import { useSlashKey } from './use-slash-key.ts'
import { useTableState } from './use-table-state.ts'

interface MachinesPaneProps {
  /** Height of the table itself; it gives way where the frame has less room. */
  tableHeight: number | undefined
  /** Rows as cards of two lines. */
  cards: boolean
  /** There is no lower pane: choosing a machine opens its page. */
  opensPage: boolean
  /** What opens the tree where it is a drawer. */
  start?: ReactNode
}

/** Tabs, search and table of the machines. */
export function MachinesPane({ tableHeight, cards, opensPage, start }: MachinesPaneProps) {
  const state = useTableState()
  const node = useSelectedNode()
  const { rows, isWhole, isLoading, delayMs, error, refetch } = useMachines(state, node)
  const view = useMachineView(rows, state.sort, state.text)
  const panelId = useId()
  const table = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  useSlashKey(field)
  const total = useNodeTotal(node)
  const tab = state.tab ?? 'mixed'
  const counts = useMemo(() => countTabs(tab, isWhole ? rows : undefined, total), [tab, isWhole, rows, total])
  return (
    <section className={classes.pane} aria-label="Machines">
      <MachineTabs tab={tab} counts={counts} panelId={panelId} onChange={state.setTab}>
        <MachineFilter text={state.text} onChange={state.setText} />
      </MachineTabs>
      <div className={classes.searchLine}>
        {start}
        <MachineSearch
          ref={field}
          text={state.text}
          onChange={state.setText}
          onLeave={() => table.current?.focus()}
          found={rows === undefined ? '' : describeFound(view, state.text)}
        />
      </div>
      <div
        id={panelId}
        role="tabpanel"
        aria-label={TAB_LABELS[tab]}
        aria-busy={isLoading || !isWhole}
        className={classes.table}
        style={tableHeight === undefined ? undefined : { height: tableHeight }}
      >
        {error !== null && rows === undefined ? (
          <MachinesError error={error} onRetry={() => void refetch()} />
        ) : isLoading ? (
          <SkeletonRows rows={16} height={state.compact ? 32 : 40} delayMs={delayMs} />
        ) : (
          <MachineTable
            ref={table}
            view={view}
            state={state}
            cards={cards}
            opensPage={opensPage}
            empty={
              rows !== undefined && (
                <NoMachines
                  total={view.total}
                  text={state.text}
                  tab={tab}
                  onClearSearch={() => state.setText('', 'now')}
                  onShowAll={() => state.setTab('mixed')}
                />
              )
            }
          />
        )}
      </div>
    </section>
  )
}

const TAB_LABELS = { server: 'Servers', workstation: 'Workstations', mixed: 'All machines' }

/** The machines of a tab and node. For a moment after another choice the old ones stay, so that nothing flashes. */
function useMachines({ tab, sort, text }: TableState, node: TreeNode | undefined) {
  const queryClient = useQueryClient()
  const filter = { tab: tab ?? 'mixed', node }
  const isUsual = text === '' && formatSort(sort) === undefined
  const wantsFirst = isUsual && queryClient.getQueryData(machinesQuery(filter).queryKey) === undefined
  const asksFirst = tab !== undefined && wantsFirst
  const { data: first, isPending: awaitsFirst } = useQuery({
    ...firstMachinesQuery(filter),
    enabled: asksFirst,
  })
  // The whole list would hold up the first rows, on the server and in drawing them.
  const isDrawn = useDrawn(tab !== undefined && !(asksFirst && awaitsFirst))
  const { data, isPlaceholderData, isPending, error, refetch } = useQuery({
    ...machinesQuery(filter),
    enabled: tab !== undefined && isDrawn,
    placeholderData: keepPreviousData,
  })
  const lasts = useLasting(isPlaceholderData, LOADING_DELAY_MS)
  const whole: readonly AgentRow[] | undefined = lasts ? undefined : data
  const rows = whole ?? (isUsual && error === null ? first : undefined)
  return {
    rows,
    /** False while only the first rows are there. */
    isWhole: whole !== undefined,
    isLoading: rows === undefined && (lasts || isPending),
    delayMs: lasts ? 0 : LOADING_DELAY_MS,
    error,
    refetch,
  }
}

type TableState = Pick<ReturnType<typeof useTableState>, 'tab' | 'sort' | 'text'>

function MachinesError({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (isRefused(error)) return <NoPermission message="Your role does not allow you to see machines." />
  return <ErrorState {...describeError(error)} onRetry={onRetry} />
}

function describeFound({ shown, total, searchMs }: MachineView, text: string): string {
  if (text.trim() === '') return ''
  return `${shown.length} of ${total} · ${Math.max(1, Math.round(searchMs))} ms`
}
