import { Button } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { IconChartDots } from '@tabler/icons-react'
import { Suspense, useMemo } from 'react'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { CsvButton } from '../../ui/table/CsvButton.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { usePane } from '../agents/use-pane.ts'
import { RangeTools } from '../checks/RangeTools.tsx'
import { formatValue } from '../checks/check-words.ts'
import { usualStep } from '../checks/graph-data.ts'
import { type HistoryView, readView, writeView } from '../checks/history-view.ts'
import { samplesTable } from '../checks/samples-table.ts'
import classes from './MetricsPane.module.css'
import { LiveMark } from './LiveMark.tsx'
import { Timeline } from './Timeline.tsx'
import { type LiveSample, withTail } from './live-tail.ts'
import { marksOf } from './timeline-marks.ts'
import { metricLabel, sortMetrics } from './metric-words.ts'
import { useLiveMetrics } from './use-live-metrics.ts'
import { type ShownMetrics, useMetrics } from './use-metrics.ts'

const CheckGraph = lazyPart(() => import('../checks/CheckGraph.tsx').then((file) => file.CheckGraph))
const GRAPH_PX = 140
const EVERY_SECONDS = 60

/** What a machine measures of itself: processor, memory, network and disks over time. */
export function MetricsPane({ agent }: { agent: AgentDetail }) {
  const { entry, setEntry } = usePane()
  const { open } = useDialog()
  const { range } = readView(entry)
  const setRange = (chosen: HistoryView['range']) =>
    setEntry(writeView({ range: chosen, series: undefined, asTable: false }))
  const { data: stored, error, refetch } = useMetrics(agent.agent_id, range)
  const { view, samples } = useLiveMetrics(agent.agent_id, agent)
  // A longer time has less than a pixel for a second.
  const data = useMemo(
    () => stored && (range === 'live' || range === '1h' ? withTail(stored, samples) : stored),
    [stored, range, samples],
  )
  return (
    <section className={classes.pane} aria-label="Metrics">
      <div className={classes.tools}>
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
    ? `${hostname} has measured nothing in this time.`
    : `${hostname} is not connected, and nothing was measured in this time.`
}

const toTable = ({ series, resolution, timeline }: ShownMetrics) =>
  samplesTable({ series: sortMetrics(series), resolution, ...marksOf(timeline.entries) }, metricLabel)

const fileName = ({ hostname }: AgentDetail) => `${hostname.replaceAll(/[^A-Za-z0-9_.-]+/g, '-')}-metrics.csv`
