import { getMachineMetrics, type MachineMetrics } from '@muster/contract/api/metrics'
import { getTimeline } from '@muster/contract/api/timeline'
import type { Output } from '@muster/contract/endpoint'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { type HistoryView, rangeUntilNow } from '../checks/history-view.ts'
import type { TimeRange } from '../checks/graph-data.ts'

export interface ShownMetrics extends MachineMetrics {
  range: TimeRange
  /** What happened meanwhile. */
  timeline: Output<typeof getTimeline>
}

/** Machines measure once a minute by default; with the way here, nothing is older on screen than that and this. */
const FOLLOW_MS = 15_000

/** What a machine measured of itself in a range, and what happened then. One that ends now follows. */
export function useMetrics(agentId: string, range: HistoryView['range']) {
  const isLive = typeof range === 'string'
  const options = queryOptions({
    queryKey: [...queryKey(getMachineMetrics), { params: { agent_id: agentId }, range }] as const,
    queryFn: async ({ signal }): Promise<ShownMetrics> => {
      const shown = isLive ? rangeUntilNow(range) : range
      const asked = { params: { agent_id: agentId }, query: shown }
      const [metrics, timeline] = await Promise.all([
        call(getMachineMetrics, asked, { signal }),
        call(getTimeline, asked, { signal }),
      ])
      return { ...metrics, timeline, range: shown }
    },
  })
  return useQuery({
    ...options,
    placeholderData: keepPreviousData,
    ...(isLive ? { refetchInterval: FOLLOW_MS } : {}),
  })
}
