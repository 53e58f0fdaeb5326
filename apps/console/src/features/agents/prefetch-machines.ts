import type { QueryClient } from '@tanstack/react-query'
import { parseTreeNode } from '@muster/rules/tree-node'
import { dashInfoQuery } from '../../app/queries.ts'
import { dashboardSearch, parseSearch } from '../../app/search.ts'
import { askFirstMachines, firstMachinesQuery } from './machines-query.ts'

/** Asks for the first rows of the dashboard that is about to be drawn, while it is being drawn. */
export async function prefetchFirstMachines(
  queryClient: QueryClient,
  { pathname, search }: { pathname: string; search: string },
): Promise<void> {
  if (pathname !== '/') return
  const { node, tab, sort, search: text } = dashboardSearch.parse(parseSearch(search))
  if (sort !== undefined || text !== undefined) return
  const place = parseTreeNode(node)
  if (tab !== undefined) return queryClient.prefetchQuery(firstMachinesQuery({ tab, node: place }))
  // Which type that is need not be known to ask for it.
  const usual = askFirstMachines({ tab: 'usual', node: place })
  // A failure is told by the table, which then asks by itself.
  usual.catch(() => undefined)
  const { default_agent_tbl_tab } = await queryClient.fetchQuery(dashInfoQuery)
  const { queryKey } = firstMachinesQuery({ tab: default_agent_tbl_tab, node: place })
  await queryClient.prefetchQuery({ queryKey, queryFn: () => usual, retry: false })
}
