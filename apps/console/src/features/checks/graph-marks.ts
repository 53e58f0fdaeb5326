import type { Severity } from '@muster/contract/severity'
import type uPlot from 'uplot'

export interface GraphFailure {
  from: number
  /** Null = it still fails. */
  to: number | null
  severity: Severity
}

export interface GraphThresholds {
  warning_threshold: number
  error_threshold: number
}

export interface GraphColors {
  text: string
  dim: string
  line: string
  accent: string
  error: string
  warning: string
  info: string
}

/** The colours of the page around, as a canvas needs them. */
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
  }
}

// A user's colour may refer to another one; only the browser follows that.
function resolve(element: Element, color: string): string {
  const probe = document.createElement('span')
  probe.style.color = color
  element.append(probe)
  const { color: resolved } = getComputedStyle(probe)
  probe.remove()
  return resolved
}

/** Where it failed, behind the line. */
export function drawFailures(chart: uPlot, failures: readonly GraphFailure[], colors: GraphColors): void {
  const { ctx, bbox } = chart
  ctx.save()
  for (const { from, to, severity } of failures) {
    const left = clamp(chart.valToPos(from, 'x', true), bbox.left, bbox.left + bbox.width)
    const end = to === null ? bbox.left + bbox.width : chart.valToPos(to, 'x', true)
    const right = clamp(end, bbox.left, bbox.left + bbox.width)
    if (right <= bbox.left || left >= bbox.left + bbox.width) continue
    ctx.fillStyle = colors[severity]
    const width = Math.max(devicePixelRatio, right - left)
    ctx.globalAlpha = 0.16
    ctx.fillRect(left, bbox.top, width, bbox.height)
    ctx.globalAlpha = 1
    // An edge that is seen where the tint is too faint.
    ctx.fillRect(left, bbox.top + bbox.height - 3 * devicePixelRatio, width, 3 * devicePixelRatio)
  }
  ctx.restore()
}

/** The thresholds, over the line: dashes, and the word at the right. */
export function drawThresholds(chart: uPlot, thresholds: GraphThresholds, colors: GraphColors): void {
  const { ctx, bbox } = chart
  const lines = [
    { value: thresholds.warning_threshold, color: colors.warning, word: 'warning' },
    { value: thresholds.error_threshold, color: colors.error, word: 'error' },
  ]
  ctx.save()
  ctx.font = `${11 * devicePixelRatio}px Inter Variable, sans-serif`
  ctx.textAlign = 'right'
  ctx.lineWidth = devicePixelRatio
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio])
  for (const { value, color, word } of lines) {
    const y = Math.round(chart.valToPos(value, 'y', true))
    if (value <= 0 || y < bbox.top || y > bbox.top + bbox.height) continue
    ctx.strokeStyle = color
    ctx.beginPath()
    ctx.moveTo(bbox.left, y)
    ctx.lineTo(bbox.left + bbox.width, y)
    ctx.stroke()
    ctx.fillStyle = color
    // The word of the lower line stands under it, so that two near ones do not meet.
    const isLower = lines.some((other) => other.value > value)
    ctx.textBaseline = isLower && bbox.top + bbox.height - y > LABEL_PX * devicePixelRatio ? 'top' : 'bottom'
    const away = (ctx.textBaseline === 'top' ? 3 : -2) * devicePixelRatio
    ctx.fillText(word, bbox.left + bbox.width - 4 * devicePixelRatio, y + away)
  }
  ctx.restore()
}

/** Height of a word at a line. */
const LABEL_PX = 14
const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value))
