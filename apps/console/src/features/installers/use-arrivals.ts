import { listAgents } from '@muster/contract/api/agents'
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '../../app/api/api.ts'
import { onAgentsFrame } from '../../app/live/live.ts'
import { quietly } from '../../app/api/pending.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { type Arrival, type Machine, findArrivals, findConnected } from './find-arrivals.ts'

/**
 * The machines of a site before there is a line. They stay in the cache: a first load that is under way is not begun
 * anew by an event, so that a machine which comes meanwhile would be missed.
 */
export async function loadMachines(queryClient: QueryClient, siteId: number): Promise<Set<string>> {
  const machines = await queryClient.fetchQuery({ ...siteMachinesQuery(siteId), staleTime: 0 })
  return new Set(machines.map(({ agent_id }) => agent_id))
}

async function findMachines(siteId: number, signal?: AbortSignal): Promise<Machine[]> {
  const input = { query: { site: siteId, detail: 'false' as const } }
  // With detail=false the list answers names only.
  return (await call(listAgents, input, signal === undefined ? {} : { signal })) as Machine[]
}

/** Machines that came to a site since `before`, as the live link tells of them; the latest first. */
export function useArrivals(siteId: number, before: ReadonlySet<string> | undefined): Arrival[] {
  const queryClient = useQueryClient()
  const machinesQuery = siteMachinesQuery(siteId)
  const { data: machines = [] } = useQuery({ ...machinesQuery, enabled: before !== undefined, staleTime: 0 })
  const [connected, setConnected] = useState<ReadonlySet<string>>(new Set())
  useEffect(
    () =>
      onAgentsFrame((frame) => {
        const ids = findConnected(frame)
        if (ids.length > 0) setConnected((old) => new Set([...old, ...ids]))
        if (frame.all !== true && frame.added.length === 0) return
        quietly(() => void queryClient.invalidateQueries({ queryKey: siteMachinesQuery(siteId).queryKey }))
      }),
    [queryClient, siteId],
  )
  return before === undefined ? [] : findArrivals(machines, before, connected)
}

function siteMachinesQuery(siteId: number) {
  return queryOptions({
    queryKey: queryKey(listAgents, { query: { site: siteId, detail: 'false' } }),
    queryFn: ({ signal }) => findMachines(siteId, signal),
  })
}
