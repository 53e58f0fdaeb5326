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

/** A range that ends now moves on at least so often, also where nothing new is measured. */
const MOVE_MS = 30_000

/** What a check measured in a range. One that ends now follows: a new result makes the answer stale. */
export function useSamples(id: number, range: HistoryView['range']) {
  const isLive = typeof range === 'string'
  const options = queryOptions({
    // The parameters stand where live messages look for them.
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

/** What was measured lately, in parts as the preview of thresholds wants them: the last day exactly, 29 days before in means of five minutes. */
export function useRecentSamples(id: number | undefined) {
  // Fixed when the form opens: a preview that moves while one drags a number would tell two things at once.
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
