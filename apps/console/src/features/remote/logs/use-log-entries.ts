import type { JournalPriority } from '@muster/contract/agent/logs'
import type { AgentDetail } from '@muster/contract/api/agents'
import { readMachineLog } from '@muster/contract/api/logs'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from '../../../app/api/api.ts'
import { queryKey } from '../../../app/api/query-key.ts'
import { eventIdOf } from './EventFields.tsx'

export interface Filter {
  unit: string
  /** For Windows. */
  log: string
  eventId: string
  source: string
  priority: JournalPriority
  seconds: number
  search: string
  /** A repeated search is a new filter. */
  askedAt: number
}

/** Matching entries, newest first, as far back as requested. */
export function useLogEntries(agent: AgentDetail, filter: Filter) {
  const { priority, seconds, search, askedAt } = filter
  const params = { agent_id: agent.agent_id }
  const since = seconds === 0 ? {} : { since: Math.floor(askedAt / 1000) - seconds }
  const own = agent.plat === 'windows' ? eventQuery(filter) : unitQuery(filter)
  const query = { priority, search, ...since, ...own }
  const log = useInfiniteQuery({
    // A repeated search with the same words is a new query.
    queryKey: [...queryKey(readMachineLog, { params, query }), askedAt],
    queryFn: ({ pageParam, signal }) => {
      const place = pageParam === '' ? {} : { before: pageParam }
      return call(readMachineLog, { params, query: { ...query, ...place } }, { signal })
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    enabled: agent.connected,
    retry: false,
    gcTime: 0,
    // Loaded entries stay valid, and reading them again would burden the machine.
    refetchOnWindowFocus: false,
  })
  const { data } = log
  const entries = useMemo(() => data?.pages.flatMap((part) => part.entries) ?? [], [data])
  /** More entries exist, but no page leads to them. */
  const isCut = data?.pages.at(-1)?.complete === false && !log.hasNextPage
  return { log, entries, isCut }
}

const unitQuery = ({ unit }: Filter) => (unit === '' ? {} : { unit })

function eventQuery({ log, eventId, source }: Filter) {
  const event_id = eventIdOf(eventId)
  return { log, ...(source === '' ? {} : { source }), ...(event_id === undefined ? {} : { event_id }) }
}
