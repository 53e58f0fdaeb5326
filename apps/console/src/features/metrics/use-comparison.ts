import { type Comparison, compareMachines } from '@muster/contract/api/metrics'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import type { TimeRange } from '../checks/graph-data.ts'
import { type HistoryView, rangeUntilNow } from '../checks/history-view.ts'

export interface ShownComparison extends Comparison {
  range: TimeRange
}

/** One that ends now moves on this often. */
const FOLLOW_MS = 15_000

/** One number of several machines in a range. */
export function useComparison(asked: {
  what: string
  agents: readonly string[]
  range: HistoryView['range']
}) {
  const { what, agents, range } = asked
  const isLive = typeof range === 'string'
  const options = queryOptions({
    queryKey: [...queryKey(compareMachines), { what, agents, range }] as const,
    queryFn: async ({ signal }): Promise<ShownComparison> => {
      const shown = isLive ? rangeUntilNow(range) : range
      const answer = await call(
        compareMachines,
        { query: { agents: agents.join(','), what, ...shown } },
        { signal },
      )
      return { ...answer, range: shown }
    },
  })
  return useQuery({
    ...options,
    enabled: agents.length > 0,
    placeholderData: keepPreviousData,
    ...(isLive ? { refetchInterval: FOLLOW_MS } : {}),
  })
}
