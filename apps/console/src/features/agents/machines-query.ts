import { type AgentRow, listAgents } from '@muster/contract/api/agents'
import type { TableTab } from '@muster/contract/api/users'
import type { Input } from '@muster/contract/endpoint'
import type { TreeNode } from '@muster/rules/search/tree-order'
import { queryOptions } from '@tanstack/react-query'
import { call, callPage } from '../../app/api/api.ts'
import { type AgentsFrame, onAgentsFrame } from '../../app/live/live.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { applyFrame, shareRows } from './machine-rows.ts'

export interface MachineFilter {
  tab: TableTab
  node: TreeNode | undefined
}

/** A list of many machines is not kept long once nobody looks at it. */
const KEPT_MS = 60_000

/** The machines of a tab and a node of the tree. A newer choice cancels the request of an older one. */
export function machinesQuery(filter: MachineFilter) {
  const input = { query: listQuery(filter) }
  return queryOptions({
    queryKey: queryKey(listAgents, input),
    queryFn: async ({ signal }) => {
      // What is told while the list is on its way may be newer than the list. What is older comes again by itself.
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
    // Only this query's own answers and patched lists come by here.
    structuralSharing: (before, after) =>
      shareRows(before as readonly AgentRow[] | undefined, after as AgentRow[]),
    gcTime: KEPT_MS,
    meta: { logged: 'agents' },
  })
}

/** As many as a tall screen shows. */
const FIRST_ROWS = 60

/** The first rows in the usual order: they are there long before a list of thousands is. */
export function firstMachinesQuery(filter: MachineFilter) {
  return queryOptions({
    queryKey: queryKey(listAgents, firstInput(filter)),
    queryFn: ({ signal }) => askFirstMachines(filter, signal),
    // The whole list follows at once, and is what stays up to date.
    staleTime: 'static',
    gcTime: KEPT_MS,
  })
}

async function askFirstMachines(filter: MachineFilter, signal?: AbortSignal): Promise<AgentRow[]> {
  const options = signal === undefined ? {} : { signal }
  return (await callPage<typeof listAgents, AgentRow>(listAgents, firstInput(filter), options)).results
}

const firstInput = (filter: MachineFilter) => ({
  query: { ...listQuery(filter), page: 1, page_size: FIRST_ROWS, sort: 'hostname' },
})

function listQuery({ tab, node }: MachineFilter): NonNullable<Input<typeof listAgents>['query']> {
  return {
    ...(tab === 'mixed' ? {} : { monitoring_type: tab }),
    ...(node?.kind === 'Client' ? { client: node.id } : {}),
    ...(node?.kind === 'Site' ? { site: node.id } : {}),
  }
}
