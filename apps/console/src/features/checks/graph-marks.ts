import type { Severity } from '@muster/contract/fields'
import type { Limits } from '@muster/rules/checks/judgement'
import type uPlot from 'uplot'

export interface GraphFailure {
  from: number
  /** Null = still failing. */
  to: number | null
  severity: Severity
}

export interface GraphPeriod {
  from: number
  /** Null = ongoing. */
  to: number | null
}

export interface GraphThresholds extends Limits {
  /** Values below fail. */
  reverse: boolean
}

/** A line into the future: to a threshold, or to the end of a disk. */
export interface GraphForecast {
  /** `[unix seconds, value]` */
  from: readonly [number, number]
  to: readonly [number, number]
  severity: 'warning' | 'error'
  /** `full on Wed, Nov 25` */
  label: string
}

export interface GraphColors {
  text: string
  dim: string
  line: string
  accent: string
  error: string
  warning: string
  info: string
  maintenance: string
}

/** The page's colours, as a canvas needs them. */
export function readColors(element: Element): GraphColors {
  const style = getComputedStyle(element)
  const read = (name: string) => style.getPropertyValue(name).trim()
  return {
    text: read('--m-text'),
    dim: read('--m-dim'),
    line: read('--m-line'),
    accent: read('--m-accent'),
    error: resolve(element, 'var(--dash-negative)'),
    warning: resolve(element, 'var(--dash-warning)'),
    info: resolve(element, 'var(--dash-info)'),
    maintenance: resolve(element, 'var(--m-maintenance)'),
  }
}

// A user's colour may refer to another one; only the browser resolves that.
function resolve(element: Element, color: string): string {
  const probe = document.createElement('span')
  probe.style.color = color
  element.append(probe)
  const { color: resolved } = getComputedStyle(probe)
  probe.remove()
  return resolved
}

/** Failure periods, behind the line. */
export function drawFailures(chart: uPlot, failures: readonly GraphFailure[], colors: GraphColors): void {
  const { ctx, bbox } = chart
  ctx.save()
  for (const failure of failures) {
    const place = positionOf(chart, failure)
    if (place === undefined) continue
    const { left, width } = place
    ctx.fillStyle = colors[failure.severity]
    ctx.globalAlpha = 0.16
    ctx.fillRect(left, bbox.top, width, bbox.height)
    ctx.globalAlpha = 1
    // A visible edge where the tint is too faint.
    ctx.fillRect(left, bbox.top + bbox.height - 3 * devicePixelRatio, width, 3 * devicePixelRatio)
  }
  ctx.restore()
}

/** Maintenance periods: hatched, behind the line, with a label where it fits. */
export function drawMaintenance(chart: uPlot, periods: readonly GraphPeriod[], colors: GraphColors): void {
  const { ctx, bbox } = chart
  ctx.save()
  ctx.font = `${11 * devicePixelRatio}px Inter Variable, sans-serif`
  ctx.textAlign = 'left'
  ctx.textBaseline = 'top'
  ctx.fillStyle = colors.maintenance
  ctx.strokeStyle = colors.maintenance
  ctx.lineWidth = devicePixelRatio
  for (const period of periods) {
    const place = positionOf(chart, period)
    if (place === undefined) continue
    const { left, width } = place
    ctx.save()
    ctx.beginPath()
    ctx.rect(left, bbox.top, width, bbox.height)
    ctx.clip()
    ctx.globalAlpha = 0.4
    ctx.beginPath()
    for (let x = left - bbox.height; x < left + width; x += HATCH_PX * devicePixelRatio) {
      ctx.moveTo(x, bbox.top + bbox.height)
      ctx.lineTo(x + bbox.height, bbox.top)
    }
    ctx.stroke()
    ctx.globalAlpha = 1
    ctx.fillRect(left, bbox.top, width, 3 * devicePixelRatio)
    if (ctx.measureText(MAINTENANCE).width + 8 * devicePixelRatio < width) {
      ctx.fillText(MAINTENANCE, left + 4 * devicePixelRatio, bbox.top + 6 * devicePixelRatio)
    }
    ctx.restore()
  }
  ctx.restore()
}

const MAINTENANCE = 'maintenance'
const HATCH_PX = 10

/** The visible part of a period; undefined = none. */
function positionOf(chart: uPlot, { from, to }: GraphPeriod): { left: number; width: number } | undefined {
  const { bbox } = chart
  const end = bbox.left + bbox.width
  const left = clamp(chart.valToPos(from, 'x', true), bbox.left, end)
  const right = to === null ? end : clamp(chart.valToPos(to, 'x', true), bbox.left, end)
  if (right <= bbox.left || left >= end) return undefined
  return { left, width: Math.max(devicePixelRatio, right - left) }
}

/** The thresholds, over the line: dashes, with the label at the right. */
export function drawThresholds(chart: uPlot, thresholds: GraphThresholds, colors: GraphColors): void {
  const { ctx, bbox } = chart
  const lines = [
    { value: thresholds.warning_threshold, color: colors.warning, word: 'warning' },
    { value: thresholds.error_threshold, color: colors.error, word: 'error' },
  ].flatMap(({ value, ...line }) => (value === null ? [] : [{ value, ...line }]))
  ctx.save()
  ctx.font = `${11 * devicePixelRatio}px Inter Variable, sans-serif`
  ctx.textAlign = 'right'
  ctx.lineWidth = devicePixelRatio
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio])
  for (const { value, color, word } of lines) {
    const y = Math.round(chart.valToPos(value, 'y', true))
    if (y < bbox.top || y > bbox.top + bbox.height) continue
    ctx.strokeStyle = color
    ctx.beginPath()
    ctx.moveTo(bbox.left, y)
    ctx.lineTo(bbox.left + bbox.width, y)
    ctx.stroke()
    ctx.fillStyle = color
    // The label of the lower line is below it, so that close labels do not overlap.
    const isLower = lines.some((other) => other.value > value)
    ctx.textBaseline = isLower && bbox.top + bbox.height - y > LABEL_PX * devicePixelRatio ? 'top' : 'bottom'
    const away = (ctx.textBaseline === 'top' ? 3 : -2) * devicePixelRatio
    ctx.fillText(word, bbox.left + bbox.width - 4 * devicePixelRatio, y + away)
  }
  ctx.restore()
}

/** Dashes from the last value, with the day on which they end. */
export function drawForecast(
  chart: uPlot,
  marks: { forecast: GraphForecast; thresholds: GraphThresholds | undefined; colors: GraphColors },
): void {
  const { colors, thresholds } = marks
  const { from, to, severity, label } = marks.forecast
  const { ctx, bbox } = chart
  const [left, right] = [chart.valToPos(from[0], 'x', true), chart.valToPos(to[0], 'x', true)]
  const end = bbox.left + bbox.width
  if (left >= end) return
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  ctx.strokeStyle = colors[severity]
  ctx.fillStyle = colors[severity]
  ctx.lineWidth = 1.5 * devicePixelRatio
  ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio])
  ctx.beginPath()
  const [top, bottom] = [chart.valToPos(from[1], 'y', true), chart.valToPos(to[1], 'y', true)]
  ctx.moveTo(left, top)
  ctx.lineTo(right, bottom)
  ctx.stroke()
  ctx.beginPath()
  ctx.arc(right, bottom, 3 * devicePixelRatio, 0, 2 * Math.PI)
  ctx.fill()
  ctx.font = `${11 * devicePixelRatio}px Inter Variable, sans-serif`
  ctx.textAlign = 'right'
  ctx.textBaseline = 'bottom'
  // Above the line, which falls, and above the labels of the thresholds.
  const heights = [thresholds?.warning_threshold ?? null, thresholds?.error_threshold ?? null]
    .filter((value) => value !== null)
    .map((value) => chart.valToPos(value, 'y', true) - (LABEL_PX + 4) * devicePixelRatio)
  const labelBottom = Math.min(top - 6 * devicePixelRatio, ...heights)
  const width = ctx.measureText(label).width
  const labelEnd = Math.max(bbox.left + width, Math.min(right, end) - 4 * devicePixelRatio)
  ctx.fillText(label, labelEnd, Math.max(bbox.top + LABEL_PX * devicePixelRatio, labelBottom))
  ctx.restore()
}

/** Height of a line's label. */
const LABEL_PX = 14
const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value))
