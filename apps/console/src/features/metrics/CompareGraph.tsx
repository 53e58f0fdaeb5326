import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatDate } from '../../ui/layout/date-format.ts'
import graphClasses from '../checks/CheckGraph.module.css'
import { GraphCanvas, GraphHint, GraphTip } from '../checks/GraphParts.tsx'
import { formatValue } from '../checks/check-words.ts'
import type { TimeRange } from '../checks/graph-data.ts'
import { handleGraphKey } from '../checks/graph-keys.ts'
import { readColors } from '../checks/graph-marks.ts'
import type { GraphCursor } from '../checks/graph-options.ts'
import classes from './Compare.module.css'
import { CompareLegend } from './CompareLegend.tsx'
import { type ComparedLine, joinLines, nearestPoint, reachOf } from './compare-lines.ts'
import { compareOptions } from './compare-options.ts'

interface CompareGraphProps {
  label: string
  lines: readonly ComparedLine[]
  unit: string
  range: TimeRange
  height: number
  onZoom: (range: TimeRange) => void
}

/** Several machines over one time, each a line; what is under the cursor is told exactly of each. */
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
  const told = at === undefined ? [] : tell(shown, at, unit)
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
            ? 'Nothing was measured in this time.'
            : `${sayTime(at)}: ${told.map(sayLine).join(', ')}`
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
          <b className={classes.tipTime}>{sayTime(at)}</b>
          {told.map(({ agent_id, hostname, value }) => (
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
  // A graph of another number of lines is being made anew.
  if (chart === undefined || chart.series.length !== data.length) return
  chart.batch(() => {
    chart.setData(data, false)
    lines.forEach(({ agent_id }, place) => chart.setSeries(place + 1, { show: !hidden.has(agent_id) }))
    chart.setScale('x', { min: range.from, max: range.to })
  })
}

/** The line that the legend points at stands out; undefined = none does. */
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

interface Told {
  agent_id: string
  hostname: string
  value: string
}

function tell(lines: readonly ComparedLine[], at: number, unit: string): Told[] {
  return lines.map((line) => {
    const point = nearestPoint(line.points, at, reachOf(line))
    const value = point === undefined ? '–' : formatValue(point[1], unit)
    return { agent_id: line.agent_id, hostname: line.hostname, value }
  })
}

const sayLine = ({ hostname, value }: Told) => `${hostname} ${value === '–' ? 'nothing' : value}`
const sayTime = (at: number) => formatDate(at, 'ddd, MMM D, HH:mm:ss')
