import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import { MultiSelect, Select } from '@mantine/core'
import { compareMachines, type Comparison, MAX_COMPARED } from '@muster/contract/api/metrics'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useMemo, useState } from 'react'
import { METRIC_UNITS } from '@muster/contract/agent/metrics'
import { nameCheck } from '@muster/rules/checks/check-name'
import { GuardedDialog, LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { machineNamesQuery, namesOf } from '../alerts/templates/template-form.ts'
import { RangeTools, useHistoryView, ViewButtons } from '../checks/RangeTools.tsx'
import { type HistoryView, rangeUntilNow } from '../checks/history-view.ts'
import { DataTable } from '../../ui/table/DataTable.tsx'
import type { DataColumn } from '../../ui/table/data-column.ts'
import { formatDate } from '../../ui/layout/date-format.ts'
import { formatValue, seriesLabel } from '../checks/check-labels.ts'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import type { TimeRange } from '../checks/graph-data.ts'
import classes from './Compare.module.css'
import { type ComparedLine, type ComparedPoint, compareTable, listPoints } from './compare-lines.ts'
import { metricLabel, sortMetrics } from './metric-labels.ts'

interface ShownComparison extends Comparison {
  range: TimeRange
}

/** Update interval of a range that ends now. */
const FOLLOW_MS = 15_000

/** One number of several machines in a range. */
function useComparison(asked: { what: string; agents: readonly string[]; range: HistoryView['range'] }) {
  const { what, agents, range } = asked
  const isLive = typeof range === 'string'
  const options = queryOptions({
    queryKey: [...queryKey(compareMachines), { what, agents, range }] as const,
    queryFn: async ({ signal }): Promise<ShownComparison> => {
      const shown = isLive ? rangeUntilNow(range) : range
      const answer = await call(
        compareMachines,
        { query: { agents: agents.join(','), what, ...shown } },
        { signal },
      )
      return { ...answer, range: shown }
    },
  })
  return useQuery({
    ...options,
    enabled: agents.length > 0,
    placeholderData: keepPreviousData,
    ...(isLive ? { refetchInterval: FOLLOW_MS } : {}),
  })
}

type Column = DataColumn<ComparedPoint, { unit: string }>

const COLUMNS: Column[] = [
  {
    id: 'time',
    title: 'Time',
    width: 'minmax(160px, 2fr)',
    render: ({ point: [at] }) => formatDate(at, 'ddd, MMM D YYYY, HH:mm:ss'),
  },
  {
    id: 'machine',
    title: 'Machine',
    width: 'minmax(100px, 2fr)',
    render: ({ hostname }) => <bdi>{hostname}</bdi>,
  },
  {
    id: 'value',
    title: 'Value',
    width: 'minmax(72px, 1fr)',
    render: ({ point: [, value] }, { unit }) => formatValue(value, unit),
  },
]

/** The numbers of all lines, newest first. */
function CompareTable({ lines, unit }: { lines: readonly ComparedLine[]; unit: string }) {
  const rows = useMemo(() => listPoints(lines), [lines])
  const context = useMemo(() => ({ unit }), [unit])
  return (
    <DataTable
      label="Measurements"
      rows={rows}
      rowKey={({ key }) => key}
      columns={COLUMNS}
      context={context}
      rowHeight={32}
    />
  )
}

const CompareGraph = lazyPart(() => import('./CompareGraph.tsx').then((file) => file.CompareGraph))
const TITLE = 'Compare machines'
const GRAPH_PX = 320
/** Separates the machines in the address. */
const BETWEEN = '.'

/** One number of up to ten machines on one graph. `item` holds the number; `filter` the machines, time range and form. */
export function CompareDialog({ item = 'cpu', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_list_agents" onClose={close} size="xl">
      <Dialog title={TITLE} size="xl" onClose={close}>
        <Compare what={item} />
      </Dialog>
    </GuardedDialog>
  )
}

function Compare({ what }: { what: string }) {
  const { view, change } = useHistoryView()
  const navigate = useNavigate()
  const agents = view.series?.split(BETWEEN).filter(Boolean) ?? []
  const { data: kept, error, refetch } = useComparison({ what, agents, range: view.range })
  const data = agents.length === 0 ? undefined : kept
  return (
    <div className="stack">
      <Machines
        agents={agents}
        names={new Map(data?.lines.map(({ agent_id, hostname }) => [agent_id, hostname]))}
        onChange={(next) => change({ series: next.length === 0 ? undefined : next.join(BETWEEN) })}
      />
      <CompareTools
        what={what}
        data={data}
        view={view}
        change={change}
        onWhat={(next) =>
          void navigate({ to: '.', search: (old) => ({ ...old, item: next }), replace: true })
        }
      />
      {agents.length === 0 ? (
        <EmptyState message="Choose machines to compare. Each is a line on the graph." />
      ) : data === undefined || (error !== null && agents.length > MAX_COMPARED) ? (
        <div className={classes.place}>
          <LoadingState error={error} onRetry={() => void refetch()} rows={8} />
        </div>
      ) : data.lines.every(({ points }) => points.length === 0) ? (
        <div className={classes.place}>
          <EmptyState message="No data in this time range. Choose a longer range or another metric." />
        </div>
      ) : view.asTable ? (
        <div className={classes.place}>
          <CompareTable lines={data.lines} unit={data.unit} />
        </div>
      ) : (
        <Suspense fallback={<div className={classes.place} />}>
          <CompareGraph
            label={`${labelOf(what, data.choices)} of ${data.lines.length === 1 ? 'one machine' : `${data.lines.length} machines`} over time`}
            lines={data.lines}
            unit={data.unit}
            range={data.range}
            height={GRAPH_PX}
            onZoom={(range) => change({ range })}
          />
        </Suspense>
      )}
    </div>
  )
}

interface MachinesProps {
  agents: string[]
  /** Names of the machines on the graph, in case the list of all has not loaded yet. */
  names: ReadonlyMap<string, string>
  onChange: (agents: string[]) => void
}

function Machines({ agents, names, onChange }: MachinesProps) {
  const { data: machines = [] } = useQuery({ ...machineNamesQuery, placeholderData: keepPreviousData })
  const [isRefused, setIsRefused] = useState(false)
  const known = namesOf(machines)
  const others = agents
    .filter((agentId) => !known.some(({ value }) => value === agentId))
    .map((value) => ({ value, label: names.get(value) ?? `unknown (${value})` }))
  const tooMany = isRefused || agents.length > MAX_COMPARED
  return (
    <MultiSelect
      label="Machines"
      description={`Up to ${MAX_COMPARED}`}
      placeholder={agents.length === 0 ? 'Choose machines' : ''}
      error={tooMany ? `Maximum: ${MAX_COMPARED} machines. Remove one to add another.` : undefined}
      data={[...known, ...others]}
      value={agents}
      onChange={(next) => {
        const isMore = next.length > MAX_COMPARED && next.length > agents.length
        setIsRefused(isMore)
        if (!isMore) onChange(next)
      }}
      searchable
      hidePickedOptions
      nothingFoundMessage="No matching machine"
      limit={200}
      data-autofocus
    />
  )
}

interface CompareToolsProps {
  what: string
  data: ShownComparison | undefined
  view: HistoryView
  change: (part: Partial<HistoryView>) => void
  onWhat: (what: string) => void
}

/** Which number, over what time range, as a graph or as a table. */
function CompareTools({ what, data, view, change, onWhat }: CompareToolsProps) {
  const label = labelOf(what, data?.choices ?? [])
  return (
    <div className="toolbar">
      <Select
        aria-label="Metric"
        className={classes.what}
        data={groupChoices(what, data?.choices ?? [])}
        value={what}
        onChange={(next) => next !== null && onWhat(next)}
        allowDeselect={false}
        searchable
        limit={200}
      />
      <RangeTools range={view.range} onChange={(range) => change({ range })} />
      <span className={classes.end}>
        <ViewButtons
          asTable={view.asTable}
          onAsTable={(asTable) => change({ asTable })}
          fileName="comparison.csv"
          table={data && (() => compareTable(data, label))}
        />
      </span>
    </div>
  )
}

type Choices = Comparison['choices']

/** Label of a choice: `Processor`, `Disk space of /srv: Free space`. */
function labelOf(what: string, choices: Choices): string {
  const choice = choices.find((one) => one.what === what)
  if (choice?.check) return `${nameCheck(choice.check)}: ${seriesLabel(choice.series)}`
  return what.startsWith('check:') ? 'Check' : metricLabel(what)
}

/** Options of the select; the usual metrics are listed before the machines' own have loaded. */
function groupChoices(what: string, choices: Choices) {
  const metrics = choices.flatMap((choice) => (choice.check === null ? [{ name: choice.what }] : []))
  const names =
    metrics.length > 0 ? sortMetrics(metrics) : Object.keys(METRIC_UNITS).map((name) => ({ name }))
  const checks = choices.flatMap((choice) => (choice.check === null ? [] : [choice.what]))
  const listed = new Set([...names.map(({ name }) => name), ...checks])
  const others = listed.has(what) ? [] : [what]
  const item = (value: string) => ({ value, label: labelOf(value, choices) })
  return [
    { group: 'Machine metrics', items: names.map(({ name }) => item(name)) },
    { group: 'Checks', items: checks.map(item) },
    { group: 'Selected', items: others.map(item) },
  ].filter(({ items }) => items.length > 0)
}
