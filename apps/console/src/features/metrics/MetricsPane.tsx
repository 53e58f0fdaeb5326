import { Button } from '@mantine/core'
import { DISK_METRIC } from '@muster/contract/agent/metrics'
import type { AgentDetail } from '@muster/contract/api/agents'
import { IconChartDots } from '@tabler/icons-react'
import { Suspense, useMemo } from 'react'
import { getTimeline, type TimelineEntry } from '@muster/contract/api/timeline'
import { getMachineMetrics, type MachineMetrics } from '@muster/contract/api/metrics'
import type { Output } from '@muster/contract/endpoint'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { CsvButton } from '../../ui/table/CsvButton.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { usePane } from '../agents/use-pane.ts'
import { RangeTools } from '../checks/RangeTools.tsx'
import { formatValue } from '../checks/check-labels.ts'
import { type TimeRange, usualStep } from '../checks/graph-data.ts'
import { type HistoryView, rangeUntilNow, readView, writeView } from '../checks/history-view.ts'
import { samplesTable } from '../checks/samples-table.ts'
import type { GraphFailure, GraphPeriod } from '../checks/graph-marks.ts'
import { StatusDot } from '../../ui/layout/StatusDot.tsx'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import classes from './MetricsPane.module.css'
import { Timeline } from './Timeline.tsx'
import { type LiveSample, withTail } from './live-tail.ts'
import { metricLabel, sortMetrics } from './metric-labels.ts'
import { type LiveView, useLiveMetrics } from './use-live-metrics.ts'

interface ShownMetrics extends MachineMetrics {
  range: TimeRange
  /** Events in the range. */
  timeline: Output<typeof getTimeline>
}

/** The machines' default interval plus this: the greatest age of data on screen. */
const FOLLOW_MS = 15_000

/** The metrics of a machine in a range, and its events. A range that ends now moves on. */
function useMetrics(agentId: string, range: HistoryView['range']) {
  const isLive = typeof range === 'string'
  const options = queryOptions({
    queryKey: [...queryKey(getMachineMetrics), { params: { agent_id: agentId }, range }] as const,
    queryFn: async ({ signal }): Promise<ShownMetrics> => {
      const shown = isLive ? rangeUntilNow(range) : range
      const asked = { params: { agent_id: agentId }, query: shown }
      const [metrics, timeline] = await Promise.all([
        call(getMachineMetrics, asked, { signal }),
        call(getTimeline, asked, { signal }),
      ])
      return { ...metrics, timeline, range: shown }
    },
  })
  return useQuery({
    ...options,
    placeholderData: keepPreviousData,
    ...(isLive ? { refetchInterval: FOLLOW_MS } : {}),
  })
}

const WORDS: Record<LiveView, { state: 'online' | 'away' | 'offline'; label: string }> = {
  live: { state: 'online', label: 'Live, every second' },
  waiting: { state: 'away', label: 'Waiting for the next value' },
  paused: { state: 'away', label: 'Paused while this page is hidden' },
  away: { state: 'offline', label: 'Offline: no new values' },
}

/** The state of the live measurement. */
function LiveMark({ view }: { view: LiveView }) {
  const { state, label } = WORDS[view]
  return (
    <span role="status">
      <StatusDot state={state} label={label} />
    </span>
  )
}

const CheckGraph = lazyPart(() => import('../checks/CheckGraph.tsx').then((file) => file.CheckGraph))
const GRAPH_PX = 140
const EVERY_SECONDS = 60

/** Metrics of a machine: processor, memory, network and disks over time. */
export function MetricsPane({ agent }: { agent: AgentDetail }) {
  const { entry, setEntry } = usePane()
  const { open } = useDialog()
  const { range } = readView(entry)
  const setRange = (chosen: HistoryView['range']) =>
    setEntry(writeView({ range: chosen, series: undefined, asTable: false }))
  const { data: stored, error, refetch } = useMetrics(agent.agent_id, range)
  const { view, samples } = useLiveMetrics(agent.agent_id, agent)
  // In a longer range, a second is less than a pixel.
  const data = useMemo(
    () => stored && (range === 'live' || range === '1h' ? withTail(stored, samples) : stored),
    [stored, range, samples],
  )
  return (
    <section className={classes.pane} aria-label="Metrics">
      <div className="toolbar">
        <RangeTools range={range} onChange={setRange} hasLive />
        <LiveMark view={view} />
        <Button
          variant="default"
          className={classes.end}
          leftSection={<IconChartDots size={16} stroke={1.75} aria-hidden />}
          onClick={() => open('compare', 'cpu', writeView({ range, series: agent.agent_id, asTable: false }))}
        >
          Compare
        </Button>
        <CsvButton
          of="numbers"
          fileName={fileName(agent)}
          table={data === undefined || data.series.length === 0 ? undefined : () => toTable(data)}
        />
      </div>
      {data === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} rows={8} />
      ) : (
        <>
          {data.series.every(({ points }) => points.length === 0) ? (
            <EmptyState message={describeNothing(agent)} />
          ) : (
            <Graphs metrics={data} now={view === 'live' ? samples.at(-1) : undefined} onZoom={setRange} />
          )}
          <Timeline entries={data.timeline.entries} cut={data.timeline.cut} range={data.range} />
        </>
      )}
    </section>
  )
}

function Graphs({
  metrics,
  now,
  onZoom,
}: {
  metrics: ShownMetrics
  now: LiveSample | undefined
  onZoom: (range: HistoryView['range']) => void
}) {
  const { series, resolution, range, timeline } = metrics
  const shown = useMemo(() => sortMetrics(series.filter(({ points }) => points.length > 0)), [series])
  const { failures, maintenance } = useMemo(() => marksOf(timeline.entries), [timeline])
  return (
    <ul className={classes.graphs}>
      {shown.map(({ name, unit, points }) => (
        <li key={name} className={classes.card}>
          <h3 className={classes.title}>
            <bdi>{metricLabel(name)}</bdi>
            <span className={classes.now}>
              {formatValue(now?.values[name] ?? points.at(-1)?.[1] ?? 0, unit)}
            </span>
          </h3>
          <Suspense fallback={<div style={{ height: GRAPH_PX }} />}>
            <CheckGraph
              label={`${metricLabel(name)} over time`}
              points={points}
              isDisk={name.startsWith(DISK_METRIC)}
              unit={unit}
              stepSeconds={usualStep(points, Math.max(resolution, EVERY_SECONDS))}
              isMean={resolution > 0}
              range={range}
              height={GRAPH_PX}
              failures={failures}
              maintenance={maintenance}
              thresholds={undefined}
              onZoom={onZoom}
              hasHint={false}
            />
          </Suspense>
        </li>
      ))}
    </ul>
  )
}

function describeNothing({ hostname, connected }: AgentDetail): string {
  return connected
    ? `No data from ${hostname} in this time range.`
    : `${hostname} is offline. No data in this time range.`
}

const toTable = ({ series, resolution, timeline }: ShownMetrics) =>
  samplesTable({ series: sortMetrics(series), resolution, ...marksOf(timeline.entries) }, metricLabel)

const fileName = ({ hostname }: AgentDetail) => `${hostname.replaceAll(/[^A-Za-z0-9_.-]+/g, '-')}-metrics.csv`

/** Timeline entries that are drawn on the graphs: failures and maintenance. */
function marksOf(entries: readonly TimelineEntry[]): {
  failures: GraphFailure[]
  maintenance: GraphPeriod[]
} {
  return {
    failures: entries.flatMap(({ kind, from, to, severity }) =>
      severity !== null && (kind === 'check' || kind === 'alert') ? [{ from, to, severity }] : [],
    ),
    maintenance: entries.filter(({ kind }) => kind === 'maintenance'),
  }
}
