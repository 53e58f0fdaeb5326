import { listAgents } from '@muster/contract/api/agents'
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call, quietly } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { onAgentsFrame } from '../../app/live/live.ts'
import { type Arrival, findArrivals, findConnected, type Machine } from './find-arrivals.ts'

/**
 * The machines of a site before the command exists. They stay cached: a pending first load is not restarted by an event,
 * which would miss a machine that connects meanwhile.
 */
export async function loadMachines(queryClient: QueryClient, siteId: number): Promise<Set<string>> {
  const machines = await queryClient.fetchQuery({ ...siteMachinesQuery(siteId), staleTime: 0 })
  return new Set(machines.map(({ agent_id }) => agent_id))
}

async function findMachines(siteId: number, signal?: AbortSignal): Promise<Machine[]> {
  const input = { query: { site: siteId, detail: 'false' as const } }
  // With detail=false the list returns names only.
  return (await call(listAgents, input, signal === undefined ? {} : { signal })) as Machine[]
}

/** Machines that appeared at a site since `before`, from the live connection; the latest first. */
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
