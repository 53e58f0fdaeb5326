/** `[unix seconds, mean, least, most]`. */
export type GraphPoint = readonly [number, number, number, number]

/** Times, means, minima and maxima, as columns; null = unknown. */
export type GraphColumns = [number[], (number | null)[], (number | null)[], (number | null)[]]

/** More missing steps than this are a gap in the line. */
const GAP_STEPS = 2.5

/** Usual seconds between two points, with a lower bound: for series with a changing interval. */
export function usualStep(points: readonly GraphPoint[], least: number): number {
  const middle = middles.get(points) ?? middleStep(points)
  middles.set(points, middle)
  return Math.max(least, middle)
}

/** Called at every pointer move over a graph. */
const middles = new WeakMap<readonly GraphPoint[], number>()

function middleStep(points: readonly GraphPoint[]): number {
  const steps = points.slice(1).map(([at], index) => at - (points[index]?.[0] ?? at))
  return steps.toSorted((a, b) => a - b)[(steps.length - 1) >> 1] ?? 0
}

/** Points as columns to draw, with gaps where the machine was silent. */
export function toColumns(points: readonly GraphPoint[], stepSeconds: number): GraphColumns {
  const columns: GraphColumns = [[], [], [], []]
  const add = (at: number, values: readonly (number | null)[]) => {
    columns[0].push(at)
    columns[1].push(values[0] ?? null)
    columns[2].push(values[1] ?? null)
    columns[3].push(values[2] ?? null)
  }
  points.forEach(([at, ...values], index) => {
    const before = points[index - 1]
    if (before !== undefined && at - before[0] > stepSeconds * GAP_STEPS) {
      add(before[0] + stepSeconds, [null, null, null])
    }
    add(at, values)
  })
  return columns
}

type Walked = readonly [readonly number[], readonly (number | null)[], ...unknown[]]

/** Index of the next point with a value in a direction, or of the current one. */
export function stepTo({ columns, from, by }: { columns: Walked; from: number; by: number }): number {
  const last = columns[0].length - 1
  const direction = Math.sign(by)
  let at = Math.min(last, Math.max(0, from + by))
  while (columns[1][at] === null && at + direction >= 0 && at + direction <= last) at += direction
  return at
}

export interface TimeRange {
  from: number
  to: number
}

/** Minimum width of the visible range, in seconds. */
const MIN_SECONDS = 60

/** The range zoomed around a moment in it; a `factor` below 1 zooms in. */
export function zoomRange({ from, to }: TimeRange, around: number, factor: number): TimeRange {
  const width = Math.max(MIN_SECONDS, (to - from) * factor)
  const share = to === from ? 0.5 : (around - from) / (to - from)
  const start = Math.max(0, Math.round(around - width * share))
  return { from: start, to: start + Math.round(width) }
}

/** The range moved by a share of its width, not beyond now. */
export function panRange({ from, to }: TimeRange, share: number, nowSeconds: number): TimeRange {
  const end = Math.min(Math.round(to + (to - from) * share), Math.max(to, Math.ceil(nowSeconds)))
  const start = Math.max(0, end - (to - from))
  return { from: start, to: start + (to - from) }
}
