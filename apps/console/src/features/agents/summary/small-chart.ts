import type { GraphPoint, TimeRange } from '../../checks/graph-data.ts'
import { toColumns, usualStep } from '../../checks/graph-data.ts'

export const CHART = { width: 162, height: 44 }
const MIN_STEP_SECONDS = 60

export interface ChartLine {
  points: readonly GraphPoint[]
  tone: 'first' | 'second'
}

/** A line as an SVG path, with gaps where the machine was silent; empty without values. */
export function linePath(points: readonly GraphPoint[], range: TimeRange, top: number): string {
  const { from, to } = range
  const inRange = points.filter(([at]) => at >= from && at <= to)
  const [times, values] = toColumns(inRange, usualStep(inRange, MIN_STEP_SECONDS))
  let isDrawing = false
  return times
    .flatMap((at, index) => {
      const value = values[index]
      if (typeof value !== 'number') {
        isDrawing = false
        return []
      }
      const x = ((at - from) / Math.max(1, to - from)) * CHART.width
      const y = CHART.height - (Math.min(value, top) / top) * (CHART.height - 2) - 1
      const command = isDrawing ? 'L' : 'M'
      isDrawing = true
      return [`${command}${round(x)} ${round(y)}`]
    })
    .join('')
}

const round = (value: number) => Math.round(value * 10) / 10

/** The highest point; undefined without values. */
export function peakOf(points: readonly GraphPoint[]): { at: number; value: number } | undefined {
  return points.reduce<{ at: number; value: number } | undefined>(
    (peak, [at, , , value]) => (peak === undefined || value > peak.value ? { at, value } : peak),
    undefined,
  )
}
