import type { AgentDetail } from '@muster/contract/api/agents'
import { getMachineMetrics, type MachineMetrics } from '@muster/contract/api/metrics'
import { formatFileSize, formatRelativeTime } from '@muster/rules/text/units'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from '../../../app/api/api.ts'
import { queryKey } from '../../../app/api/query-key.ts'
import { formatDate } from '../../../ui/layout/date-format.ts'
import { useNow } from '../../../ui/layout/use-now.ts'
import type { GraphPoint, TimeRange } from '../../checks/graph-data.ts'
import { writeView } from '../../checks/history-view.ts'
import { withTail } from '../../metrics/live-tail.ts'
import { useLiveMetrics } from '../../metrics/use-live-metrics.ts'
import { usePane } from '../use-pane.ts'
import { useMachineChecks } from './FailingChecks.tsx'
import classes from './Health.module.css'
import section from '../../../ui/layout/Section.module.css'
import { Section } from '../../../ui/layout/Section.tsx'
import { CHART, linePath, peakOf } from './small-chart.ts'
import summary from './Summary.module.css'
import { serverNow } from '../../../ui/layout/server-clock.ts'

const HOUR_SECONDS = 3600
const STORED_MS = 60_000
const TICK_MS = 10_000

/** The stored values of the last hour; of the hour before the last response of an offline machine. */
function useLastHour({ agent_id, connected, last_seen }: AgentDetail) {
  const end = connected || last_seen === null ? undefined : Math.ceil(Date.parse(last_seen) / 1000)
  const options = queryOptions({
    queryKey: [...queryKey(getMachineMetrics), { params: { agent_id }, hour: end ?? 'now' }] as const,
    queryFn: async ({ signal }) => {
      const range = hourUntil(end)
      const metrics = await call(getMachineMetrics, { params: { agent_id }, query: range }, { signal })
      return { ...metrics, range }
    },
  })
  return useQuery({
    ...options,
    placeholderData: keepPreviousData,
    meta: { quiet: true },
    ...(connected ? { refetchInterval: STORED_MS } : {}),
  })
}

function hourUntil(end: number | undefined): TimeRange {
  const to = end ?? Math.ceil(serverNow() / 1000)
  return { from: to - HOUR_SECONDS, to }
}

/** The last hour of a machine as small charts, which move every second while the page is visible. */
export function Health({ agent }: { agent: AgentDetail }) {
  const { setPane } = usePane()
  const { data: stored } = useLastHour(agent)
  const { samples } = useLiveMetrics(agent.agent_id, agent)
  const limits = useLimits(agent)
  const nowMs = useNow(TICK_MS)
  const data = useMemo(
    () => stored && withTail(stored, agent.connected ? samples : []),
    [stored, samples, agent.connected],
  )
  const charts = data === undefined ? [] : chartsOf(data, agent)
  const lastAt = Math.max(0, ...charts.flatMap(({ lines }) => lines.map((line) => line.at(-1)?.[0] ?? 0)))
  const openMetrics = () =>
    setPane(
      'metrics',
      writeView({ range: agent.connected ? '1h' : (data?.range ?? '1h'), series: undefined, asTable: false }),
    )
  return (
    <Section
      title="Health"
      note={agent.connected || lastAt === 0 ? 'last hour' : `last value ${formatRelativeTime(lastAt, nowMs)}`}
      tools={
        <>
          {charts.some(({ lines }) => lines.length > 1) && (
            <span className={classes.legend}>
              <span data-line="first">in, read</span>
              <span data-line="second">out, write</span>
            </span>
          )}
          <button type="button" className={section.link} onClick={openMetrics}>
            Metrics
          </button>
        </>
      }
    >
      {data === undefined ? (
        <div className={classes.waiting} />
      ) : charts.length === 0 ? (
        <p className={summary.dim}>No values in the last hour.</p>
      ) : (
        <ul className={classes.charts}>
          {charts.map((chart) => (
            <li key={chart.title}>
              <SmallChart chart={chart} range={data.range} limit={limits[chart.title]} onOpen={openMetrics} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

/** Error thresholds of the checks on processor and memory, in percent. */
function useLimits(agent: AgentDetail): Partial<Record<string, number>> {
  const { data: checks } = useMachineChecks(agent)
  const limits: Partial<Record<string, number>> = {}
  for (const { settings, overridden_by_policy } of checks ?? []) {
    if (overridden_by_policy) continue
    if (settings.check_type === 'cpuload') limits['CPU'] = settings.error_threshold
    if (settings.check_type === 'memory' && settings.memory_kind === 'memory')
      limits['Memory'] = settings.error_threshold
  }
  return limits
}

interface Chart {
  title: string
  value: string
  /** Below the chart. */
  foot: string
  lines: readonly (readonly GraphPoint[])[]
  /** Value at the upper edge. */
  top: number
}

function chartsOf({ series }: MachineMetrics, { ram_bytes: total }: AgentDetail): Chart[] {
  const pointsOf = (name: string) => series.find((one) => one.name === name)?.points ?? []
  const last = (points: readonly GraphPoint[]) => points.at(-1)?.[1] ?? 0
  const [cpu, memory, load] = [pointsOf('cpu'), pointsOf('memory'), pointsOf('load')]
  const charts: Chart[] = [
    {
      title: 'CPU',
      value: `${Math.round(last(cpu))} %`,
      foot: describePeak(cpu, '%'),
      lines: [cpu],
      top: 100,
    },
    {
      title: 'Memory',
      value: `${Math.round(last(memory))} %`,
      foot: total > 0 ? `${formatFileSize((last(memory) * total) / 100)} of ${formatFileSize(total)}` : '',
      lines: [memory],
      top: 100,
    },
    {
      title: 'Load',
      value: formatNumber(last(load)),
      foot: describePeak(load, ''),
      lines: [load],
      top: topOf([load]),
    },
    pairOf('Disk', ['disk_read', 'disk_write'], ['read', 'written']),
    pairOf('Network', ['net_in', 'net_out'], ['in', 'out']),
  ]
  return charts.filter(({ lines }) => lines.some((points) => points.length > 0))

  function pairOf(title: string, names: [string, string], words: [string, string]): Chart {
    const lines = names.map(pointsOf)
    const [first = 0, second = 0] = lines.map(last)
    return {
      title,
      value: `${formatFileSize(first + second)}/s`,
      foot: `${formatFileSize(first)} ${words[0]}, ${formatFileSize(second)} ${words[1]}`,
      lines,
      top: topOf(lines),
    }
  }
}

/** A little above the highest value. Nothing is drawn as a mountain only because nothing else happened. */
const topOf = (lines: readonly (readonly GraphPoint[])[]) =>
  Math.max(1, ...lines.map((points) => (peakOf(points)?.value ?? 0) * 1.1))

function describePeak(points: readonly GraphPoint[], unit: string): string {
  const peak = peakOf(points)
  if (peak === undefined) return ''
  const value = unit === '%' ? `${Math.round(peak.value)} %` : formatNumber(peak.value)
  return `peak ${value} at ${formatDate(peak.at, 'HH:mm')}`
}

const formatNumber = (value: number) => `${Number(value.toFixed(value < 10 ? 1 : 0))}`

interface SmallChartProps {
  chart: Chart
  range: TimeRange
  limit: number | undefined
  onOpen: () => void
}

function SmallChart({ chart: { title, value, foot, lines, top }, range, limit, onOpen }: SmallChartProps) {
  const [first = [], second] = lines
  const path = linePath(first, range, top)
  const limitY = limit === undefined ? undefined : CHART.height - (limit / top) * (CHART.height - 2) - 1
  return (
    <button type="button" className={classes.chart} onClick={onOpen}>
      <span className={classes.head}>
        <span className={classes.title}>{title}</span> <span className={classes.value}>{value}</span>
      </span>
      <svg viewBox={`0 0 ${CHART.width} ${CHART.height}`} preserveAspectRatio="none" aria-hidden>
        {second === undefined && path !== '' && !path.slice(1).includes('M') && (
          <path className={classes.area} d={areaPath(path)} />
        )}
        {limitY !== undefined && <path className={classes.limit} d={`M0 ${limitY}H${CHART.width}`} />}
        <path className={classes.line} data-line="first" d={path} />
        {second !== undefined && (
          <path className={classes.line} data-line="second" d={linePath(second, range, top)} />
        )}
      </svg>{' '}
      <span className={classes.foot}>{foot}</span>
    </button>
  )
}

/** The surface below a line without gaps. */
function areaPath(path: string): string {
  const start = /^M([\d.]+)/.exec(path)?.[1] ?? '0'
  const end = /[ML]([\d.]+) [\d.]+$/.exec(path)?.[1] ?? '0'
  return `${path}L${end} ${CHART.height}L${start} ${CHART.height}Z`
}
