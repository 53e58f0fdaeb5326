import type uPlot from 'uplot'
import type { GraphColors, GraphThresholds } from './graph-marks.ts'

export interface ThresholdBand {
  severity: 'warning' | 'error'
  least: number
  most: number
}

/** Ranges of warning and error values; a threshold of 0 is off. */
export function bandsOf({ warning_threshold, error_threshold, reverse }: GraphThresholds): ThresholdBand[] {
  const bands: ThresholdBand[] = []
  const end = reverse ? -Infinity : Infinity
  const add = (severity: ThresholdBand['severity'], from: number, to: number) => {
    if (from > 0) bands.push({ severity, least: Math.min(from, to), most: Math.max(from, to) })
  }
  add('warning', warning_threshold, error_threshold > 0 ? error_threshold : end)
  add('error', error_threshold, end)
  return bands
}

/** The thresholds as tinted bands behind the graph; their lines and labels are on top. */
export function drawBands(chart: uPlot, thresholds: GraphThresholds, colors: GraphColors): void {
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
