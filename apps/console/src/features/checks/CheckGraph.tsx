import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatDate } from '../../ui/layout/date-format.ts'
import classes from './CheckGraph.module.css'
import { GraphCanvas, GraphHint, GraphTip } from './GraphParts.tsx'
import { formatValue } from './check-labels.ts'
import { type GraphColumns, type GraphPoint, type TimeRange, toColumns } from './graph-data.ts'
import { handleGraphKey } from './graph-keys.ts'
import { type GraphCursor, type GraphMarks, graphOptions } from './graph-options.ts'
import { readColors } from './graph-marks.ts'
import { stateAt } from './samples-table.ts'
import { type ThresholdName, useThresholdDrag } from './use-threshold-drag.ts'

/** Milliseconds: the upper limit of values that are not a percentage. */

export interface CheckGraphProps extends GraphMarks {
  label: string
  points: readonly GraphPoint[]
  unit: string
  /** Seconds between two points without a gap. */
  stepSeconds: number
  /** Each point covers a period and has a minimum and a maximum. */
  isMean: boolean
  range: TimeRange
  height: number
  onZoom?: (range: TimeRange) => void
  /** Shows the zoom help below; not where many graphs are stacked. */
  hasHint?: boolean
  /** Called when a threshold line was dragged here. */
  onThreshold?: (name: ThresholdName, value: number) => void
}

/** A number over time. Arrow keys move the cursor, dragging or + and − zoom; the exact value is announced. */
export function CheckGraph(props: CheckGraphProps) {
  const {
    label,
    points,
    unit,
    stepSeconds,
    isMean,
    range,
    height,
    failures,
    maintenance,
    thresholds,
    forecast,
    isDisk = false,
    onZoom,
    hasHint = true,
    onThreshold,
  } = props
  const scheme = useComputedColorScheme('dark')
  const columns = useMemo(() => toColumns(points, stepSeconds), [points, stepSeconds])
  const host = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>(undefined)
  const latest = useRef({ columns, range, failures, maintenance, thresholds, forecast, isDisk, onZoom })
  const [cursor, setCursor] = useState<GraphCursor>()
  const mayZoom = onZoom !== undefined
  const drag = useThresholdDrag({ chart, thresholds, onThreshold })

  useLayoutEffect(() => {
    latest.current = { columns, range, failures, maintenance, thresholds, forecast, isDisk, onZoom }
    show(chart.current, columns, range)
  }, [columns, range, failures, maintenance, thresholds, forecast, isDisk, onZoom])

  useEffect(() => {
    const element = host.current
    if (element === null) return undefined
    const created = new uPlot(
      graphOptions({
        width: element.clientWidth,
        height,
        unit,
        colors: readColors(element),
        marks: () => latest.current,
        onCursor: setCursor,
        onZoom: mayZoom ? (from, to) => latest.current.onZoom?.({ from, to }) : undefined,
      }),
      latest.current.columns,
      element,
    )
    chart.current = created
    show(created, latest.current.columns, latest.current.range)
    const observer = new ResizeObserver(() => created.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      created.destroy()
      chart.current = undefined
    }
  }, [unit, height, scheme, mayZoom])

  const last = columns[0].length - 1
  const describeAt = (index: number) => {
    const value = describeValue(columns, index, { unit, isMean })
    const state = stateAt(columns[0][index] ?? 0, { failures, maintenance })
    return value === undefined || state === '' ? value : `${value}, ${state}`
  }
  const text = cursor === undefined ? undefined : describeAt(cursor.index)
  return (
    <div className={classes.graph}>
      <GraphCanvas
        ref={host}
        label={label}
        last={last}
        cursor={cursor}
        text={text ?? describeAt(last) ?? 'No data in this time range.'}
        height={height}
        {...drag}
        onKeyDown={(event) =>
          handleGraphKey(event, { chart: chart.current, columns, cursor: cursor?.index, range, onZoom })
        }
      />
      {cursor !== undefined && text !== undefined && <GraphTip cursor={cursor}>{text}</GraphTip>}
      {forecast !== undefined && <span className="read-only-aloud">Forecast: {forecast.label}</span>}
      {mayZoom && hasHint && <GraphHint />}
    </div>
  )
}

function show(chart: uPlot | undefined, columns: GraphColumns, { from, to }: TimeRange): void {
  if (chart === undefined) return
  chart.batch(() => {
    chart.setData(columns, false)
    chart.setScale('x', { min: from, max: to })
  })
  // The marks may have changed alone.
  chart.redraw(false, true)
}

interface ValueFormat {
  unit: string
  isMean: boolean
}

/** `Sat, Nov 21, 10:02:13: 45.2 %`, with the minimum and maximum of a mean. */
function describeValue(
  columns: GraphColumns,
  index: number,
  { unit, isMean }: ValueFormat,
): string | undefined {
  const [times, means, leasts, mosts] = columns
  const [at, mean, least, most] = [times[index], means[index], leasts[index], mosts[index]]
  if (at === undefined || typeof mean !== 'number') return undefined
  const value = `${formatDate(at, 'ddd, MMM D, HH:mm:ss')}: ${formatValue(mean, unit)}`
  if (!isMean || typeof least !== 'number' || typeof most !== 'number') return value
  return `${value} (${formatValue(least, unit)} to ${formatValue(most, unit)})`
}
