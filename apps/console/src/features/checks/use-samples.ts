import { getCheckSamples } from '@muster/contract/api/checks'
import type { CheckSamples } from '@muster/contract/checks/check-samples'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { call, query } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import type { TimeRange } from './graph-data.ts'
import { type HistoryView, rangeUntilNow } from './history-view.ts'

export interface ShownSamples extends CheckSamples {
  range: TimeRange
}

/** Refresh interval of a range that ends now, also without new results. */
const MOVE_MS = 30_000

/** The samples of a check in a range. For a range that ends now, a new result makes the query stale. */
export function useSamples(id: number, range: HistoryView['range']) {
  const isLive = typeof range === 'string'
  const options = queryOptions({
    // The parameters are where live events look for them.
    queryKey: [...queryKey(getCheckSamples), { params: { id }, range }] as const,
    queryFn: async ({ signal }): Promise<ShownSamples> => {
      const shown = isLive ? rangeUntilNow(range) : range
      const samples = await call(getCheckSamples, { params: { id }, query: shown }, { signal })
      return { ...samples, range: shown }
    },
  })
  return useQuery({
    ...options,
    placeholderData: keepPreviousData,
    ...(isLive ? { refetchInterval: MOVE_MS } : {}),
  })
}

/** Recent samples for the threshold preview: the last day exactly, 29 days before as 5-minute means. */
export function useRecentSamples(id: number | undefined) {
  // Fixed when the form opens: a preview that moves during dragging would mix two changes.
  const enabled = id !== undefined
  const options = queryOptions({
    queryKey: [...queryKey(getCheckSamples), { params: { id }, range: 'preview' }] as const,
    queryFn: async ({ client }) => {
      const { from, to } = rangeUntilNow('30d')
      const ask = (part: TimeRange & { resolution: 0 | 300 }) =>
        client.fetchQuery(query(getCheckSamples, { params: { id: id ?? 0 }, query: part }))
      const [older, newer] = await Promise.all([
        ask({ from, to: to - DAY - 1, resolution: 300 }),
        ask({ from: to - DAY, to, resolution: 0 }),
      ])
      return { older, newer, range: { from, to } }
    },
  })
  return useQuery({ ...options, enabled, staleTime: Infinity, gcTime: 0 })
}

const DAY = 86_400
