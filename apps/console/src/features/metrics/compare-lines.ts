import type { Comparison } from '@muster/contract/api/metrics'
import uPlot from 'uplot'
import { type GraphPoint, toColumns, usualStep } from '../checks/graph-data.ts'

export type ComparedLine = Comparison['lines'][number]

/** Usual interval of a machine or a check; a longer silence is a gap. */
const USUAL_SECONDS = 120

/** Times of all lines, and for each line its values; undefined = measured at another second, null = a gap. */
export function joinLines(lines: readonly ComparedLine[]): uPlot.AlignedData {
  const tables = lines.map(({ points, resolution }): uPlot.AlignedData => {
    const [times, means] = toColumns(points, reachOf({ points, resolution }))
    return [times, means]
  })
  if (tables.length === 0) return [[]]
  // 2 = a gap stays a gap where other lines have times that this one lacks.
  return uPlot.join(
    tables,
    tables.map(() => [0, 2]),
  )
}

/** A line's value at a time: its nearest point, if close enough. */
export function nearestPoint(
  points: readonly GraphPoint[],
  at: number,
  within: number,
): GraphPoint | undefined {
  let [low, high] = [0, points.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((points[middle]?.[0] ?? 0) < at) low = middle + 1
    else high = middle
  }
  const candidates = [points[low - 1], points[low]].filter((point) => point !== undefined)
  const distance = ([time]: GraphPoint) => Math.abs(time - at)
  const nearest = candidates.toSorted((a, b) => distance(a) - distance(b))[0]
  return nearest !== undefined && distance(nearest) <= within ? nearest : undefined
}

/** Seconds beyond which a value does not count for a time. */
export const reachOf = ({ points, resolution }: Pick<ComparedLine, 'points' | 'resolution'>) =>
  usualStep(points, Math.max(resolution, USUAL_SECONDS))

export interface ComparedPoint {
  key: string
  hostname: string
  point: GraphPoint
}

/** All numbers of all lines, newest first. */
export function listPoints(lines: readonly ComparedLine[]): ComparedPoint[] {
  return lines
    .flatMap(({ agent_id, hostname, points }) =>
      points.map((point) => ({ key: `${agent_id} ${point[0]}`, hostname, point })),
    )
    .toSorted((a, b) => b.point[0] - a.point[0])
}

/** The same as rows under titles, oldest first; plain numbers, so that programs can read them. */
export function compareTable(
  { lines, unit }: Pick<Comparison, 'lines' | 'unit'>,
  label: string,
): (string | number)[][] {
  const rows = listPoints(lines).toReversed()
  return [
    ['Time', 'Machine', 'Measurement', 'Unit', 'Value', 'Minimum', 'Maximum'],
    ...rows.map(({ hostname, point: [at, mean, least, most] }) => [
      new Date(at * 1000).toISOString(),
      hostname,
      label,
      unit,
      mean,
      least,
      most,
    ]),
  ]
}
