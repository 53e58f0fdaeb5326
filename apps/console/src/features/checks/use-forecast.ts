import { type Check, getCheckSamples } from '@muster/contract/api/checks'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import type { SeriesThresholds } from './check-thresholds.ts'
import { forecastOf } from './graph-forecast.ts'
import type { GraphForecast } from './graph-marks.ts'
import { rangeUntilNow } from './history-view.ts'

const DISK_SERIES = 'free_percent'

/**
 * How the free space of a disk check goes on, by the formula of the overview: to the next threshold below it, or until
 * the disk is full. Undefined for other checks, and where that is more than 30 days away.
 */
export function useForecast(
  check: Pick<Check, 'id' | 'settings'> | undefined,
  thresholds: SeriesThresholds | undefined,
): GraphForecast | undefined {
  const { id = 0, settings } = check ?? {}
  const isDisk = settings?.check_type === 'diskspace' && settings.threshold_unit !== 'inodes'
  const options = queryOptions({
    queryKey: [...queryKey(getCheckSamples), { params: { id }, range: 'forecast' }] as const,
    queryFn: async ({ signal }) => {
      const range = rangeUntilNow('7d')
      const { series } = await call(
        getCheckSamples,
        { params: { id }, query: { ...range, resolution: 3600 } },
        { signal },
      )
      return { now: range.to, points: series.find(({ name }) => name === DISK_SERIES)?.points ?? [] }
    },
  })
  const { data } = useQuery({ ...options, enabled: isDisk, meta: { quiet: true } })
  return !isDisk || data === undefined ? undefined : forecastOf(data, thresholds)
}
