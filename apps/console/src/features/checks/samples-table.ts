import type { CheckSamples } from '@muster/contract/checks/check-samples'
import { seriesLabel } from './check-labels.ts'
import type { GraphFailure, GraphPeriod } from './graph-marks.ts'

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

interface States {
  failures: readonly GraphFailure[]
  maintenance?: readonly GraphPeriod[] | undefined
}

/** The marks of a moment as text: `failing · error, in maintenance`; empty = none. */
export function stateAt(at: number, { failures, maintenance = [] }: States): string {
  const lasts = ({ from, to }: GraphPeriod) => from <= at && (to === null || at < to)
  const failure = failures.find(lasts)
  const words = [
    failure === undefined ? '' : `failing · ${failure.severity}`,
    maintenance.some(lasts) ? 'in maintenance' : '',
  ]
  return words.filter(Boolean).join(', ')
}
