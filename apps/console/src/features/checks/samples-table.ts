import type { CheckSamples } from '@muster/contract/checks/check-samples'
import { seriesLabel } from './check-words.ts'
import type { GraphFailure, GraphPeriod } from './graph-marks.ts'
import { stateAt } from './graph-state.ts'

type TableSource = Pick<CheckSamples, 'resolution' | 'series'> & {
  failures: readonly GraphFailure[]
  maintenance: readonly GraphPeriod[]
}

/** All numbers of a range as rows under titles; plain numbers, so that programs can read them. */
export function samplesTable(
  { resolution, series, failures, maintenance }: TableSource,
  labelOf = seriesLabel,
): (string | number)[][] {
  const isMean = resolution > 0
  const titles = [
    'Time',
    'Measurement',
    'Unit',
    isMean ? 'Mean' : 'Value',
    ...(isMean ? ['Minimum', 'Maximum'] : []),
    'State',
  ]
  const rows = series.flatMap(({ name, unit, points }) =>
    points.map(([at, mean, least, most]) => [
      new Date(at * 1000).toISOString(),
      labelOf(name),
      unit,
      mean,
      ...(isMean ? [least, most] : []),
      stateAt(at, { failures, maintenance }),
    ]),
  )
  return [titles, ...rows]
}
