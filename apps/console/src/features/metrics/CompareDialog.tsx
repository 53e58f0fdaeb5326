import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import { MultiSelect, Select } from '@mantine/core'
import { compareMachines, type Comparison, MOST_COMPARED } from '@muster/contract/api/metrics'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useMemo, useState } from 'react'
import { METRIC_UNITS } from '@muster/contract/agent/metrics'
import { GuardedDialog, LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { machineNamesQuery, namesOf } from '../alerts/templates/machine-names.ts'
import { useHistoryView } from '../checks/use-history-view.ts'
import { RangeTools } from '../checks/RangeTools.tsx'
import { ViewButtons } from '../checks/ViewButtons.tsx'
import { type HistoryView, rangeUntilNow } from '../checks/history-view.ts'
import { DataTable } from '../../ui/table/DataTable.tsx'
import type { DataColumn } from '../../ui/table/data-column.ts'
import { formatDate } from '../../ui/layout/date-format.ts'
import { checkName, formatValue, seriesLabel } from '../checks/check-words.ts'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import type { TimeRange } from '../checks/graph-data.ts'
import classes from './Compare.module.css'
import { type ComparedLine, type ComparedPoint, compareTable, listPoints } from './compare-lines.ts'
import { metricLabel, sortMetrics } from './metric-words.ts'

interface ShownComparison extends Comparison {
  range: TimeRange
}

/** One that ends now moves on this often. */
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
      label="What was measured"
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
/** Between the machines in the address. */
const BETWEEN = '.'

/** One number of up to ten machines on one graph. What it is stands in `item`; the machines, time and form in `filter`. */
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
        <EmptyState message="Choose the machines to compare. Each becomes a line on the graph." />
      ) : data === undefined || (error !== null && agents.length > MOST_COMPARED) ? (
        <div className={classes.place}>
          <LoadingState error={error} onRetry={() => void refetch()} rows={8} />
        </div>
      ) : data.lines.every(({ points }) => points.length === 0) ? (
        <div className={classes.place}>
          <EmptyState message="None of these machines has measured this in this time. Choose a longer one, or something else." />
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
  /** Of those that are on the graph, should the list of all not be there yet. */
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
  const tooMany = isRefused || agents.length > MOST_COMPARED
  return (
    <MultiSelect
      label="Machines"
      description={`Up to ${MOST_COMPARED}`}
      placeholder={agents.length === 0 ? 'Choose machines' : ''}
      error={
        tooMany
          ? `At most ${MOST_COMPARED} machines can be compared. Take one away to add another.`
          : undefined
      }
      data={[...known, ...others]}
      value={agents}
      onChange={(next) => {
        const isMore = next.length > MOST_COMPARED && next.length > agents.length
        setIsRefused(isMore)
        if (!isMore) onChange(next)
      }}
      searchable
      hidePickedOptions
      nothingFoundMessage="No such machine"
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

/** Which number, over what time, as a graph or as a table. */
function CompareTools({ what, data, view, change, onWhat }: CompareToolsProps) {
  const label = labelOf(what, data?.choices ?? [])
  return (
    <div className="toolbar">
      <Select
        aria-label="What is compared"
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

/** What a choice is called: `Processor`, `Disk space of /srv: Free space`. */
function labelOf(what: string, choices: Choices): string {
  const choice = choices.find((one) => one.what === what)
  if (choice?.check) return `${checkName(choice.check)}: ${seriesLabel(choice.series)}`
  return what.startsWith('check:') ? 'A check' : metricLabel(what)
}

/** As a select takes them; the usual metrics stand there before the machines have said what they have. */
function groupChoices(what: string, choices: Choices) {
  const metrics = choices.flatMap((choice) => (choice.check === null ? [{ name: choice.what }] : []))
  const names =
    metrics.length > 0 ? sortMetrics(metrics) : Object.keys(METRIC_UNITS).map((name) => ({ name }))
  const checks = choices.flatMap((choice) => (choice.check === null ? [] : [choice.what]))
  const listed = new Set([...names.map(({ name }) => name), ...checks])
  const others = listed.has(what) ? [] : [what]
  const item = (value: string) => ({ value, label: labelOf(value, choices) })
  return [
    { group: 'Of the machines', items: names.map(({ name }) => item(name)) },
    { group: 'Of their checks', items: checks.map(item) },
    { group: 'Chosen', items: others.map(item) },
  ].filter(({ items }) => items.length > 0)
}
