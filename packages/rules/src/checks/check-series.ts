import { checkRules } from './table.ts'
import type { MeasuredValues } from './judge-check.ts'
import type { SeriesValue } from './series-value.ts'

/** The values of a measurement that are stored as a history, rounded, the most important one first. */
export function seriesOf(measured: MeasuredValues): SeriesValue[] {
  if (measured.check_type === 'unmeasurable') return []
  const series = checkRules[measured.check_type].series as (measured: MeasuredValues) => SeriesValue[]
  return series(measured)
}
