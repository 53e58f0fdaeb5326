import type { AgentRow } from '@muster/contract/api/agents'
import { LOADING_DELAY_MS } from '@muster/rules/text/layout'
import type { TreeNode } from '@muster/rules/search/tree-order'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, Suspense, useEffect, useId, useMemo, useRef, useState } from 'react'
import { Button, Popover, Tabs } from '@mantine/core'
import { IconColumns3, IconDeviceDesktop, IconFilter, IconServer2 } from '@tabler/icons-react'
import type { TableTab } from '@muster/contract/api/users'
import type { MachineColumnChoice } from '@muster/contract/machine-columns'
import { describeError, isRefused } from '../../app/api/describe-error.ts'
import { CsvButton } from '../../ui/table/CsvButton.tsx'
import { EmptyState, ErrorBox, ErrorState, NoPermission, SkeletonRows } from '../../ui/layout/States.tsx'
import { useDrawn } from '../../ui/layout/use-drawn.ts'
import { useNodeName, useNodeTotal, useSelectedNode } from '../dashboard/use-dashboard.ts'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { MachineSearch } from './MachineSearch.tsx'
import { MachineTable } from './MachineTable.tsx'
import { MachineStrip } from './MachineStrip.tsx'
import { ViewButton } from './ViewButton.tsx'
import { machinesTable } from './machine-text.ts'
import { useMachineMetrics } from './machine-metrics.ts'
import { useMachineColumns } from './use-machine-columns.ts'
import { setCheckedMachines, useCheckedMachines } from './checked-machines.ts'
import classes from './MachinesPane.module.css'
import { firstMachinesQuery, listQuery, machinesQuery } from './machines-query.ts'
import { formatSort } from './sort-machines.ts'
import { useMachineQuery } from './use-machine-query.ts'
import { type MachineView, useMachineView } from './use-machine-view.ts'
import { readFilter, writeFilter } from './search-flags.ts'
import { useSlashKey } from './use-slash-key.ts'
import { useTableState } from './use-table-state.ts'

type TabCounts = Partial<Record<TableTab, number>>

const TABS = [
  { value: 'server', label: 'Servers', icon: IconServer2 },
  { value: 'workstation', label: 'Workstations', icon: IconDeviceDesktop },
  { value: 'mixed', label: 'All', icon: undefined },
] as const

interface MachineTabsProps {
  tab: TableTab
  counts: TabCounts
  /** Id of the panel that the tabs control. */
  panelId: string
  onChange: (tab: TableTab) => void
  /** Between the tabs and the other controls. */
  strip: ReactNode
  children: ReactNode
}

/** Servers, workstations or both, with their counts; other controls of the table at the right. */
function MachineTabs({ tab, counts, panelId, onChange, strip, children }: MachineTabsProps) {
  return (
    <div className={classes.bar}>
      <Tabs
        value={tab}
        onChange={(value) => {
          const chosen = TABS.find((known) => known.value === value)
          if (chosen) onChange(chosen.value)
        }}
        classNames={{ list: classes.list ?? '', tab: classes.tab ?? '' }}
      >
        <Tabs.List aria-label="Machine type">
          {TABS.map(({ value, label, icon: TabIcon }) => (
            <Tabs.Tab
              key={value}
              value={value}
              aria-controls={panelId}
              {...(TabIcon ? { leftSection: <TabIcon size={16} stroke={1.75} aria-hidden /> } : {})}
            >
              {label}
              {counts[value] !== undefined && <span className={classes.count}> {counts[value]}</span>}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
      {strip}
      <div className={classes.tools}>{children}</div>
    </div>
  )
}

/**
 * Counts on the tabs. The list of one tab has its own count, and the tree knows the total: the other type is the
 * difference, so no further request is needed.
 */
function countTabs(
  tab: TableTab,
  rows: readonly { monitoring_type: 'server' | 'workstation' }[] | undefined,
  total: number | undefined,
): TabCounts {
  if (rows === undefined) return total === undefined ? {} : { mixed: total }
  if (tab === 'mixed') {
    const server = rows.filter((row) => row.monitoring_type === 'server').length
    return { server, workstation: rows.length - server, mixed: rows.length }
  }
  const other = tab === 'server' ? 'workstation' : 'server'
  if (total === undefined) return { [tab]: rows.length }
  const all = Math.max(total, rows.length)
  return { [tab]: rows.length, [other]: all - rows.length, mixed: all }
}

interface MachinesPaneProps {
  /** Height of the table; it shrinks where the frame has less room. */
  tableHeight: number | undefined
  /** Rows as cards of two lines. */
  cards: boolean
  /** Without a lower pane: selecting a machine opens its page. */
  opensPage: boolean
  /** The button that opens the tree where it is a drawer. */
  start?: ReactNode
}

/** Tabs, search and table of the machines. */
export function MachinesPane({ tableHeight, cards, opensPage, start }: MachinesPaneProps) {
  const state = useTableState()
  const node = useSelectedNode()
  const { rows, isWhole, isLoading, isFetching, delayMs, error, refetch } = useMachines(state, node)
  const search = useMachineQuery(state.text)
  const columns = useMachineColumns({ rows, sort: state.sort, view: state.view })
  const metrics = useMachineMetrics({ tab: state.tab ?? 'mixed', node }, columns.metrics)
  const view = useMachineView(rows, state.sort, { query: search.query, metrics })
  const panelId = useId()
  const location = state.tab === undefined ? undefined : `${state.tab} ${node?.kind ?? ''} ${node?.id ?? ''}`
  const checks = useCheckedMachines(isWhole ? rows : undefined, {
    location,
    shown: view.shown,
    target: useSearchTarget(state, node, search.query !== undefined),
  })
  const { tableRef, focusTable, stayInSearch } = useTableFocus(
    search.query === undefined && search.error === undefined,
  )
  const field = useRef<HTMLInputElement>(null)
  useSlashKey(field)
  const total = useNodeTotal(node)
  const tab = state.tab ?? 'mixed'
  const counts = useMemo(() => countTabs(tab, isWhole ? rows : undefined, total), [tab, isWhole, rows, total])
  const strip = <MachineStrip rows={isWhole ? rows : undefined} text={state.text} onChange={state.setText} />
  return (
    <section className={classes.pane} aria-label="Machines">
      <MachineTabs
        tab={tab}
        counts={counts}
        panelId={panelId}
        onChange={state.setTab}
        strip={cards ? null : strip}
      >
        <ViewButton
          view={state.view}
          text={state.text}
          sort={state.sort}
          choices={[...columns.choices]}
          hasOtherColumns={columns.isChanged}
        />
        {!cards && <ColumnButton choices={columns.choices} onChange={columns.change} />}
        {!cards && (
          <CsvButton
            of="machines"
            fileName="machines.csv"
            table={
              view.shown.length === 0 ? undefined : () => machinesTable(columns.columns, view.shown, metrics)
            }
          />
        )}
        <MachineFilter text={state.text} onChange={state.setText} />
      </MachineTabs>
      <div className={classes.searchLine}>
        {start}
        <MachineSearch
          ref={field}
          text={state.text}
          onChange={(text) => {
            stayInSearch()
            state.setText(text)
          }}
          onLeave={focusTable}
          found={rows === undefined ? '' : describeFound(view, state.text)}
          search={search}
          rows={rows ?? NO_ROWS}
        />
      </div>
      {cards && strip}
      <div
        id={panelId}
        role="tabpanel"
        aria-label={TAB_LABELS[tab]}
        aria-busy={isLoading || !isWhole || isFetching}
        className={classes.table}
        style={tableHeight === undefined ? undefined : { height: tableHeight }}
      >
        {error !== null && rows !== undefined && !isRefused(error) && (
          <OldMachines error={error} onRetry={() => void refetch()} />
        )}
        {error !== null && (rows === undefined || isRefused(error)) ? (
          <MachinesError error={error} onRetry={() => void refetch()} />
        ) : isLoading ? (
          <SkeletonRows rows={16} height={state.compact ? 32 : 40} delayMs={delayMs} />
        ) : (
          <MachineTable
            ref={tableRef}
            view={view}
            metrics={metrics}
            rows={rows ?? NO_ROWS}
            columns={columns}
            checked={checks.ids}
            onCheck={setCheckedMachines}
            state={state}
            cards={cards}
            opensPage={opensPage}
            empty={
              rows !== undefined && (
                <NoMachines
                  total={view.total}
                  text={state.text}
                  error={search.error?.message}
                  isWaiting={search.query === undefined}
                  tab={tab}
                  onClearSearch={() => state.setText('', 'now')}
                  onShowAll={() => state.setTab('mixed')}
                />
              )
            }
          />
        )}
        {checks.ids.size > 0 && (
          <Suspense fallback={null}>
            <SelectionBar
              ids={checks.ids}
              inView={checks.inView}
              rows={rows ?? NO_ROWS}
              shown={view.shown}
              csv={(machines) => machinesTable(columns.columns, machines, metrics)}
              isSearching={state.text.trim() !== ''}
              onCheckAll={() =>
                setCheckedMachines(new Set([...checks.ids, ...view.shown.map(({ agent_id }) => agent_id)]))
              }
              onClear={() => setCheckedMachines(new Set())}
            />
          </Suspense>
        )}
      </div>
    </section>
  )
}

/**
 * Moves the focus to the table: once it has loaded and shows what was searched for, unless the user goes on typing. A
 * key pressed earlier would select one of the machines of the search before.
 */
function useTableFocus(isSearching: boolean) {
  const tableRef = useRef<HTMLDivElement>(null)
  const isAwaited = useRef(false)
  const focusIfReady = () => {
    if (!isAwaited.current || isSearching || tableRef.current === null) return
    isAwaited.current = false
    tableRef.current.focus()
  }
  useEffect(focusIfReady)
  const focusTable = () => {
    isAwaited.current = true
    focusIfReady()
  }
  const stayInSearch = () => {
    isAwaited.current = false
  }
  return { tableRef, focusTable, stayInSearch }
}

const NO_ROWS: readonly AgentRow[] = []

const TAB_LABELS = { server: 'Servers', workstation: 'Workstations', mixed: 'All machines' }

/** The machines of a tab and node. After a new choice the old ones stay for a moment, so that nothing flashes. */
function useMachines({ tab, sort, text, view }: TableState, node: TreeNode | undefined) {
  const queryClient = useQueryClient()
  const filter = { tab: tab ?? 'mixed', node }
  const isUsual = view === undefined && text === '' && formatSort(sort) === undefined
  const wantsFirst = isUsual && queryClient.getQueryData(machinesQuery(filter).queryKey) === undefined
  const asksFirst = tab !== undefined && wantsFirst
  const { data: first, isPending: awaitsFirst } = useQuery({
    ...firstMachinesQuery(filter),
    enabled: asksFirst,
  })
  // The whole list would delay the first rows, on the server and in rendering.
  const isDrawn = useDrawn(tab !== undefined && !(asksFirst && awaitsFirst))
  const { data, isPlaceholderData, isPending, isFetching, error, refetch } = useQuery({
    ...machinesQuery(filter),
    enabled: tab !== undefined && isDrawn,
    placeholderData: keepPreviousData,
  })
  const lasts = useLasting(isPlaceholderData, LOADING_DELAY_MS)
  const whole: readonly AgentRow[] | undefined = lasts ? undefined : data
  const rows = whole ?? (isUsual && error === null ? first : undefined)
  return {
    rows,
    /** False while only the first rows are loaded. */
    isWhole: whole !== undefined,
    isLoading: rows === undefined && (lasts || isPending),
    isFetching,
    delayMs: lasts ? 0 : LOADING_DELAY_MS,
    error,
    refetch,
  }
}

/** The shown machines as a search, for actions on all of them. */
function useSearchTarget({ tab, text }: TableState, node: TreeNode | undefined, isValid: boolean) {
  const { kind, id } = node ?? {}
  return useMemo(() => {
    if (!isValid || tab === undefined) return undefined
    const at = kind === undefined || id === undefined ? undefined : { kind, id }
    return { search: text.trim(), ...listQuery({ tab, node: at }) }
  }, [isValid, tab, text, kind, id])
}

type TableState = Pick<ReturnType<typeof useTableState>, 'tab' | 'sort' | 'text' | 'view'>

function MachinesError({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (isRefused(error)) return <NoPermission message="Your role does not allow you to see machines." />
  return <ErrorState {...describeError(error)} onRetry={onRetry} />
}

/** Above rows that could not be loaded again: they stay, and get older. */
function OldMachines({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const { message, caption } = describeError(error)
  return (
    <div className={classes.old}>
      <ErrorBox message={message} caption={caption ?? 'The rows below are from before.'} />
      <Button variant="default" size="xs" onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}

function describeFound({ shown, total, searchMs }: MachineView, text: string): string {
  if (text.trim() === '') return ''
  return `${shown.length} of ${total} · ${Math.max(1, Math.round(searchMs))} ms`
}

const SelectionBar = lazyPart(() => import('./SelectionBar.tsx').then((file) => file.SelectionBar))
const ColumnMenu = lazyPart(() => import('./ColumnMenu.tsx').then((file) => file.ColumnMenu))

/** Chooses the columns of the table. */
function ColumnButton({
  choices,
  onChange,
}: Pick<ReturnType<typeof useMachineColumns>, 'choices'> & {
  onChange: (choices: MachineColumnChoice[]) => void
}) {
  return (
    <Popover position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<IconColumns3 size={16} stroke={1.75} aria-hidden />}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Suspense fallback={null}>
          <ColumnMenu choices={choices} onChange={onChange} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  )
}

const FilterForm = lazyPart(() => import('./FilterForm.tsx').then((file) => file.FilterForm))

interface MachineFilterProps {
  text: string
  onChange: (text: string) => void
}

/** Sets the `is:` words of the search with a form. */
function MachineFilter({ text, onChange }: MachineFilterProps) {
  const [opened, setOpened] = useState(false)
  const { presence, conditions } = readFilter(text)
  const set = conditions.length + (presence === undefined ? 0 : 1)
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconFilter size={16} stroke={1.75} aria-hidden />}
          data-set={set > 0 || undefined}
          className={classes.button}
          onClick={() => setOpened(!opened)}
        >
          Filter{set > 0 ? ` · ${set}` : ''}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Filter machines">
        <Suspense fallback={null}>
          <FilterForm
            start={{ presence, conditions }}
            onApply={(choice) => {
              onChange(writeFilter(text, choice))
              setOpened(false)
            }}
          />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  )
}

interface NoMachinesProps {
  /** Machines of the tab and node, before the search. */
  total: number
  text: string
  /** Why the search cannot be evaluated. */
  error: string | undefined
  /** The search has no answer yet. */
  isWaiting: boolean
  tab: 'server' | 'workstation' | 'mixed'
  onClearSearch: () => void
  onShowAll: () => void
}

/** The empty states of the table, each with an action. */
function NoMachines({ total, text, error, isWaiting, tab, onClearSearch, onShowAll }: NoMachinesProps) {
  const mayInstall = useMay('can_install_agents')
  const node = useSelectedNode()
  const where = useNodeName(node)
  const { open } = useDialog()
  if (total > 0 && error === undefined && isWaiting) return null
  if (total > 0) {
    return (
      <EmptyState message={error ?? `No machines match “${text.trim()}”.`}>
        <Button variant="default" onClick={onClearSearch}>
          Clear search
        </Button>
      </EmptyState>
    )
  }
  const place = where === undefined ? '' : ` in ${where}`
  if (tab !== 'mixed') {
    return (
      <EmptyState message={`No ${tab}s${place}.`}>
        <Button variant="default" onClick={onShowAll}>
          Show all machines
        </Button>
      </EmptyState>
    )
  }
  return (
    <EmptyState
      message={
        mayInstall
          ? `No machines${place} yet. Install the agent on the first one.`
          : `No machines${place} that you may see.`
      }
    >
      {mayInstall && (
        <Button
          onClick={() => open('install-agent', node === undefined ? undefined : `${node.kind}|${node.id}`)}
        >
          Install agent
        </Button>
      )}
    </EmptyState>
  )
}

/** True once `active` has lasted for `delayMs`: shorter states are not shown. */
function useLasting(active: boolean, delayMs: number): boolean {
  const [lasted, setLasted] = useState(false)
  useEffect(() => {
    if (!active) return undefined
    const timer = setTimeout(() => setLasted(true), delayMs)
    return () => {
      clearTimeout(timer)
      setLasted(false)
    }
  }, [active, delayMs])
  return active && lasted
}
