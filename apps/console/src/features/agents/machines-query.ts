import { type AgentRow, listAgents } from '@muster/contract/calls/agents'
import type { TableTab } from '@muster/contract/api/users'
import type { Input } from '@muster/contract/endpoint'
import type { TreeNode } from '@muster/rules/search/tree-order'
import { queryOptions } from '@tanstack/react-query'
import { call, callPage } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { type AgentsFrame, onAgentsFrame } from '../../app/live/live.ts'
import { applyFrame, shareRows } from './machine-rows.ts'

export interface MachineFilter {
  tab: TableTab
  node: TreeNode | undefined
}

/** A list of many machines is cached briefly once unused. */
const KEPT_MS = 60_000

/** The machines of a tab and tree node. A newer choice cancels the request of an older one. */
export function machinesQuery(filter: MachineFilter) {
  const input = { query: listQuery(filter) }
  return queryOptions({
    queryKey: queryKey(listAgents, input),
    queryFn: async ({ signal }) => {
      // Live changes during the request may be newer than the list. Older ones arrive again.
      const frames: AgentsFrame[] = []
      const stop = onAgentsFrame((frame) => frames.push(frame))
      try {
        // Without detail=false the list answers whole rows.
        const rows = (await call(listAgents, input, { signal, timeoutMs: 120_000 })) as readonly AgentRow[]
        return frames.length === 0 ? rows : [...frames.reduce(applyFrame, rows)]
      } finally {
        stop()
      }
    },
    // Only this query's own responses and patched lists pass here.
    structuralSharing: (before, after) =>
      shareRows(before as readonly AgentRow[] | undefined, after as AgentRow[]),
    gcTime: KEPT_MS,
    meta: { logged: 'agents' },
  })
}

/** Fits a tall screen. */
const FIRST_ROWS = 60

/** The first rows in the default order: they arrive long before a list of thousands. */
export function firstMachinesQuery(filter: MachineFilter) {
  return queryOptions({
    queryKey: queryKey(listAgents, firstInput(filter)),
    queryFn: ({ signal }) => askFirstMachines(filter, signal),
    // The whole list follows at once and is the one kept up to date.
    staleTime: 'static',
    gcTime: KEPT_MS,
  })
}

async function askFirstMachines(filter: MachineFilter, signal?: AbortSignal): Promise<AgentRow[]> {
  const options = signal === undefined ? {} : { signal }
  return (await callPage<typeof listAgents, AgentRow>(listAgents, firstInput(filter), options)).results
}

const firstInput = (filter: MachineFilter) => ({
  query: { ...listQuery(filter), page: 1, page_size: FIRST_ROWS, sort: 'worst' },
})

/** The filter as fields of a request. */
export function listQuery({
  tab,
  node,
}: MachineFilter): Pick<
  NonNullable<Input<typeof listAgents>['query']>,
  'monitoring_type' | 'client' | 'site'
> {
  return {
    ...(tab === 'mixed' ? {} : { monitoring_type: tab }),
    ...(node?.kind === 'Client' ? { client: node.id } : {}),
    ...(node?.kind === 'Site' ? { site: node.id } : {}),
  }
}
