import type uPlot from 'uplot'
import { formatDate } from '../../ui/layout/date-format.ts'
import { formatValue } from './check-labels.ts'
import {
  drawFailures,
  drawForecast,
  drawMaintenance,
  drawThresholds,
  type GraphColors,
  type GraphFailure,
  type GraphForecast,
  type GraphPeriod,
  type GraphThresholds,
} from './graph-marks.ts'

export interface GraphMarks {
  failures: readonly GraphFailure[]
  maintenance?: readonly GraphPeriod[] | undefined
  thresholds: GraphThresholds | undefined
  forecast?: GraphForecast | undefined
  /** The percentage of a disk that is free, or in use. */
  isDisk?: boolean
}

export interface GraphCursor {
  index: number
  /** Pixels from the left edge of the plot, without the axis. */
  left: number
  /** In the right half, where the tooltip is on the left side. */
  isRight: boolean
}

interface GraphSettings {
  width: number
  height: number
  unit: string
  colors: GraphColors
  /** Read at each draw: they change without a new graph. */
  marks: () => GraphMarks
  onCursor: (cursor: GraphCursor | undefined) => void
  onZoom: ((from: number, to: number) => void) | undefined
}

const FONT = '12px Inter Variable, sans-serif'
/** Width of the axis labels at the left. */
export const AXIS_PX = 64
const DAY = 86_400
const BYTES = Array.from({ length: 50 }, (_, power) => 2 ** power)
const SECONDS = [1, 5, 15, 60, 300, 900, 3600, 4 * 3600, 12 * 3600]
/** Axis steps for units that are not decimal. */
const INCREMENTS: Record<string, number[] | undefined> = {
  B: BYTES,
  'B/s': BYTES,
  s: [...SECONDS, ...[1, 2, 5, 10, 30, 100, 365].map((days) => days * DAY)],
}

/** A line with a band from minimum to maximum, threshold bands and lines, and failure tints. */
export function graphOptions(settings: GraphSettings): uPlot.Options {
  const { width, height, unit, colors, marks, onCursor, onZoom } = settings
  return {
    width,
    height,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: onZoom !== undefined, y: false, setScale: false },
      points: { size: 7, fill: colors.accent },
    },
    scales: {
      x: { time: true },
      y: {
        range: (_chart, least, most) => {
          const { isDisk = false, forecast } = marks()
          const limits = limitsOf(marks())
          return isDisk
            ? diskRange([least, most], limits, forecast?.to[1])
            : valueRange(unit, [least, most], limits)
        },
      },
    },
    axes: graphAxes(unit, colors),
    series: [
      {},
      // Points are drawn where they fit: the first sample of a check is no line yet.
      { stroke: colors.accent, width: 1.5, points: { size: 4, fill: colors.accent }, spanGaps: false },
      { stroke: 'transparent', width: 0, points: { show: false } },
      { stroke: 'transparent', width: 0, points: { show: false } },
    ],
    bands: [{ series: [3, 2], fill: withAlpha(colors.accent) }],
    hooks: {
      drawAxes: [
        (chart) => {
          const { failures, maintenance = [], thresholds } = marks()
          if (thresholds) drawBands(chart, thresholds, colors)
          drawMaintenance(chart, maintenance, colors)
          drawFailures(chart, failures, colors)
        },
      ],
      draw: [
        (chart) => {
          const { thresholds, forecast } = marks()
          if (thresholds) drawThresholds(chart, thresholds, colors)
          if (forecast) drawForecast(chart, { forecast, thresholds, colors })
        },
      ],
      setCursor: [(chart) => onCursor(readCursor(chart))],
      setSelect: [(chart) => onZoom && takeSelection(chart, onZoom)],
    },
  }
}

/** Time below, values with their unit at the left. */
export function graphAxes(unit: string, colors: GraphColors): uPlot.Axis[] {
  const incrs = INCREMENTS[unit]
  const axis = {
    stroke: colors.dim,
    font: FONT,
    grid: { stroke: colors.line, width: 1 },
    ticks: { stroke: colors.line, width: 1, size: 4 },
  }
  return [
    { ...axis, space: 72, size: 44, values: (...[, splits, , , step]) => timeLabels(splits, step) },
    {
      ...axis,
      size: AXIS_PX,
      ...(incrs === undefined ? {} : { incrs }),
      values: (_chart, splits) => splits.map((value) => formatValue(value, unit)),
    },
  ]
}

export function readCursor({ cursor: { idx, left }, over }: uPlot): GraphCursor | undefined {
  if (typeof idx !== 'number' || left === undefined || left < 0) return undefined
  return { index: idx, left, isRight: left > over.clientWidth / 2 }
}

/** The dragged range becomes the visible range. */
export function takeSelection(chart: uPlot, onZoom: (from: number, to: number) => void): void {
  const { left, width } = chart.select
  if (width < 4) return
  const [from, to] = [left, left + width].map((px) => Math.round(chart.posToVal(px, 'x')))
  chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
  if (from !== undefined && to !== undefined && to > from) onZoom(from, to)
}

const limitsOf = ({ thresholds }: GraphMarks) =>
  [thresholds?.warning_threshold ?? null, thresholds?.error_threshold ?? null].filter(
    (limit) => limit !== null,
  )

/** Percentages use the whole scale; other units include 0, all values and the thresholds. */
export function valueRange(
  unit: string,
  [least, most]: readonly [number | null, number | null],
  limits: readonly number[],
): [number, number] {
  const shown = [least ?? 0, most ?? 0, ...limits]
  if (unit === '%' && shown.every((value) => value >= 0 && value <= 100)) return [0, 100]
  const top = Math.max(0, most ?? 1, ...limits)
  const bottom = Math.min(0, least ?? 0, ...limits)
  const margin = (top - bottom) * 0.08
  return [bottom < 0 ? bottom - margin : 0, top === bottom ? bottom + 1 : top + margin]
}

/** A lower plot would show noise as a trend. */
const MIN_PERCENT_HEIGHT = 2
/** A threshold at most this far from the values is shown. */
const NEAR_PERCENT = 5

/** A disk fills slowly: the axis follows it, with the thresholds near it and the end of its forecast. */
export function diskRange(
  [least, most]: readonly [number | null, number | null],
  limits: readonly number[],
  forecastEnd: number | undefined,
): [number, number] {
  if (least === null || most === null) return [0, 100]
  const isNear = (limit: number) => limit > 0 && limit >= least - NEAR_PERCENT && limit <= most + NEAR_PERCENT
  const shown = [least, most, forecastEnd ?? least, ...limits.filter(isNear)]
  const [low, high] = [Math.min(...shown), Math.max(...shown)]
  const padding = Math.max((high - low) * 0.1, (MIN_PERCENT_HEIGHT - (high - low)) / 2)
  return [Math.max(0, low - padding), Math.min(100, high + padding)]
}

/** Times of day, and the date where a new day begins. */
function timeLabels(splits: readonly number[], step: number): string[] {
  return splits.map((at, index) => {
    const before = splits[index - 1]
    const isNewDay = before === undefined || formatDate(at, 'D') !== formatDate(before, 'D')
    if (step >= DAY) return formatDate(at, 'MMM D')
    const time = formatDate(at, step < 60 ? 'HH:mm:ss' : 'HH:mm')
    return isNewDay ? `${time}\n${formatDate(at, 'MMM D')}` : time
  })
}

// Colours of the theme are six hex digits.
const withAlpha = (color: string) => `${color}38`

interface ThresholdBand {
  severity: 'warning' | 'error'
  least: number
  most: number
}

/** Ranges of warning and error values. */
export function bandsOf({ warning_threshold, error_threshold, reverse }: GraphThresholds): ThresholdBand[] {
  const bands: ThresholdBand[] = []
  const end = reverse ? -Infinity : Infinity
  const add = (severity: ThresholdBand['severity'], from: number | null, to: number) => {
    if (from !== null) bands.push({ severity, least: Math.min(from, to), most: Math.max(from, to) })
  }
  add('warning', warning_threshold, error_threshold ?? end)
  add('error', error_threshold, end)
  return bands
}

/** The thresholds as tinted bands behind the graph; their lines and labels are on top. */
function drawBands(chart: uPlot, thresholds: GraphThresholds, colors: GraphColors): void {
  const { ctx, bbox } = chart
  const heightOf = (value: number) => {
    if (value === Infinity) return bbox.top
    const y = value === -Infinity ? bbox.top + bbox.height : chart.valToPos(value, 'y', true)
    return Math.min(bbox.top + bbox.height, Math.max(bbox.top, y))
  }
  ctx.save()
  ctx.globalAlpha = 0.09
  for (const { severity, least, most } of bandsOf(thresholds)) {
    ctx.fillStyle = colors[severity]
    ctx.fillRect(bbox.left, heightOf(most), bbox.width, heightOf(least) - heightOf(most))
  }
  ctx.restore()
}
