import 'uplot/dist/uPlot.min.css'
import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import uPlot from 'uplot'
import { formatDate } from '../../ui/layout/date-format.ts'
import graphClasses from '../checks/CheckGraph.module.css'
import { GraphCanvas, GraphHint, GraphTip } from '../checks/GraphParts.tsx'
import { formatValue } from '../checks/check-labels.ts'
import type { TimeRange } from '../checks/graph-data.ts'
import { handleGraphKey } from '../checks/graph-keys.ts'
import { type GraphColors, readColors } from '../checks/graph-marks.ts'
import {
  graphAxes,
  type GraphCursor,
  readCursor,
  takeSelection,
  valueRange,
} from '../checks/graph-options.ts'
import classes from './Compare.module.css'
import { type ComparedLine, joinLines, nearestPoint, reachOf } from './compare-lines.ts'

interface CompareGraphProps {
  label: string
  lines: readonly ComparedLine[]
  unit: string
  range: TimeRange
  height: number
  onZoom: (range: TimeRange) => void
}

/** Several machines over one time range, each a line; the exact values at the cursor are shown. */
export function CompareGraph({ label, lines, unit, range, height, onZoom }: CompareGraphProps) {
  const scheme = useComputedColorScheme('dark')
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const [cursor, setCursor] = useState<GraphCursor>()
  const data = useMemo(() => joinLines(lines), [lines])
  const host = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>(undefined)
  const latest = useRef({ data, range, lines, hidden, onZoom })
  const count = lines.length

  useLayoutEffect(() => {
    latest.current = { data, range, lines, hidden, onZoom }
    show(chart.current, latest.current)
  }, [data, range, lines, hidden, onZoom])

  useEffect(() => {
    const element = host.current
    if (element === null) return undefined
    const created = new uPlot(
      compareOptions({
        width: element.clientWidth,
        height,
        unit,
        count,
        scheme,
        colors: readColors(element),
        onCursor: setCursor,
        onZoom: (from, to) => latest.current.onZoom({ from, to }),
      }),
      latest.current.data,
      element,
    )
    chart.current = created
    show(created, latest.current)
    const observer = new ResizeObserver(() => created.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      created.destroy()
      chart.current = undefined
    }
  }, [unit, height, scheme, count])

  const times = data[0] as readonly number[] // Made by joinLines.
  const last = times.length - 1
  const at = times[cursor?.index ?? last]
  const shown = lines.filter(({ agent_id }) => !hidden.has(agent_id))
  const values = at === undefined ? [] : valuesAt(shown, at, unit)
  const known = useMemo(
    () => times.map((_, place) => (data.slice(1).some((line) => typeof line[place] === 'number') ? 0 : null)),
    [times, data],
  )
  return (
    <div className={graphClasses.graph}>
      <GraphCanvas
        ref={host}
        label={label}
        last={last}
        cursor={cursor}
        text={
          at === undefined
            ? 'No data in this time range.'
            : `${formatTime(at)}: ${values.map(describeLine).join(', ')}`
        }
        height={height}
        onKeyDown={(event) =>
          handleGraphKey(event, {
            chart: chart.current,
            columns: [times, known],
            cursor: cursor?.index,
            range,
            onZoom,
          })
        }
      />
      {cursor !== undefined && at !== undefined && (
        <GraphTip cursor={cursor}>
          <b className={classes.tipTime}>{formatTime(at)}</b>
          {values.map(({ agent_id, hostname, value }) => (
            <span key={agent_id} className={classes.tipLine}>
              <bdi>{hostname}</bdi>
              <span>{value}</span>
            </span>
          ))}
        </GraphTip>
      )}
      <CompareLegend
        lines={lines}
        hidden={hidden}
        onToggle={(agentId) => setHidden((before) => toggled(before, agentId))}
        onPoint={(agentId) => emphasise(chart.current, lines, agentId)}
      />
      <GraphHint />
    </div>
  )
}

interface Shown {
  data: uPlot.AlignedData
  range: TimeRange
  lines: readonly ComparedLine[]
  hidden: ReadonlySet<string>
}

function show(chart: uPlot | undefined, { data, range, lines, hidden }: Shown): void {
  // A graph with another number of lines is being created.
  if (chart === undefined || chart.series.length !== data.length) return
  chart.batch(() => {
    chart.setData(data, false)
    lines.forEach(({ agent_id }, place) => chart.setSeries(place + 1, { show: !hidden.has(agent_id) }))
    chart.setScale('x', { min: range.from, max: range.to })
  })
}

/** The highlighted line of the legend; undefined = none. */
function emphasise(
  chart: uPlot | undefined,
  lines: readonly ComparedLine[],
  agentId: string | undefined,
): void {
  if (chart === undefined) return
  const place = lines.findIndex(({ agent_id }) => agent_id === agentId)
  chart.series.forEach((series, index) => {
    series.alpha = place < 0 || index === place + 1 ? 1 : 0.25
  })
  chart.redraw(false, false)
}

function toggled(before: ReadonlySet<string>, agentId: string): ReadonlySet<string> {
  const after = new Set(before)
  if (!after.delete(agentId)) after.add(agentId)
  return after
}

interface ShownValue {
  agent_id: string
  hostname: string
  value: string
}

function valuesAt(lines: readonly ComparedLine[], at: number, unit: string): ShownValue[] {
  return lines.map((line) => {
    const point = nearestPoint(line.points, at, reachOf(line))
    const value = point === undefined ? '–' : formatValue(point[1], unit)
    return { agent_id: line.agent_id, hostname: line.hostname, value }
  })
}

const describeLine = ({ hostname, value }: ShownValue) => `${hostname} ${value === '–' ? 'nothing' : value}`
const formatTime = (at: number) => formatDate(at, 'ddd, MMM D, HH:mm:ss')

interface CompareLegendProps {
  lines: readonly ComparedLine[]
  hidden: ReadonlySet<string>
  onToggle: (agentId: string) => void
  /** The pointer or focus is on this entry; undefined = on none. */
  onPoint: (agentId: string | undefined) => void
}

/** The legend. Pressed = shown. */
function CompareLegend({ lines, hidden, onToggle, onPoint }: CompareLegendProps) {
  const scheme = useComputedColorScheme('dark')
  return (
    <ul className={classes.legend} aria-label="Machines on the graph">
      {lines.map(({ agent_id, hostname, points }, place) => (
        <li key={agent_id}>
          <button
            type="button"
            className={classes.entry}
            aria-pressed={!hidden.has(agent_id)}
            onClick={() => onToggle(agent_id)}
            onPointerEnter={() => onPoint(agent_id)}
            onPointerLeave={() => onPoint(undefined)}
            onFocus={() => onPoint(agent_id)}
            onBlur={() => onPoint(undefined)}
          >
            <svg width="22" height="8" aria-hidden>
              <line
                x1="1"
                x2="21"
                y1="4"
                y2="4"
                stroke={lineColor(place, scheme)}
                strokeWidth="2.5"
                strokeDasharray={lineDash(place).join(' ')}
              />
            </svg>
            <bdi>{hostname}</bdi>
            {points.length === 0 && <span className="dim small">no data</span>}
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Ten lines by hue, and by dashes where hues are hard to distinguish. */
const HUES = [212, 28, 150, 330, 48, 265, 185, 0, 95, 300]
const DASHES = [[], [], [], [], [], [6, 3], [6, 3], [6, 3], [2, 3], [2, 3]]

const lineColor = (place: number, scheme: 'light' | 'dark') =>
  `hsl(${HUES[place % HUES.length]} 75% ${scheme === 'dark' ? 62 : 38}%)`
const lineDash = (place: number): number[] => DASHES[place % DASHES.length] ?? []

interface CompareSettings {
  width: number
  height: number
  unit: string
  count: number
  scheme: 'light' | 'dark'
  colors: GraphColors
  onCursor: (cursor: GraphCursor | undefined) => void
  onZoom: (from: number, to: number) => void
}

/** Several lines over one time range. */
function compareOptions(settings: CompareSettings): uPlot.Options {
  const { width, height, unit, count, scheme, colors, onCursor, onZoom } = settings
  return {
    width,
    height,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: true, y: false, setScale: false }, points: { size: 7 } },
    scales: { x: { time: true }, y: { range: (_chart, least, most) => valueRange(unit, [least, most], []) } },
    axes: graphAxes(unit, colors),
    series: [
      {},
      ...Array.from({ length: count }, (_, place) => ({
        stroke: lineColor(place, scheme),
        dash: lineDash(place),
        width: 1.5,
        points: { size: 4, fill: lineColor(place, scheme) },
        spanGaps: false,
      })),
    ],
    hooks: {
      setCursor: [(chart) => onCursor(readCursor(chart))],
      setSelect: [(chart) => takeSelection(chart, onZoom)],
    },
  }
}
