import type { CheckSamples } from '@muster/contract/api/checks'
import { seriesLabel } from './check-words.ts'

/** All numbers of a range as rows under titles; plain numbers, so that programs can count with them. */
export function samplesTable(
  { resolution, series }: Pick<CheckSamples, 'resolution' | 'series'>,
  labelOf = seriesLabel,
): (string | number)[][] {
  const isMean = resolution > 0
  const titles = ['Time', 'What', 'Unit', isMean ? 'Mean' : 'Value', ...(isMean ? ['Least', 'Most'] : [])]
  const rows = series.flatMap(({ name, unit, points }) =>
    points.map(([at, mean, least, most]) => [
      new Date(at * 1000).toISOString(),
      labelOf(name),
      unit,
      mean,
      ...(isMean ? [least, most] : []),
    ]),
  )
  return [titles, ...rows]
}
