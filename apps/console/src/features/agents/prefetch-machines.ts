import type { QueryClient } from '@tanstack/react-query'
import { parseTreeNode } from '@muster/rules/tree-node'
import { dashInfoQuery } from '../../app/queries.ts'
import { dashboardSearch, parseSearch } from '../../app/search.ts'
import { firstMachinesQuery } from './machines-query.ts'

/** Asks for the first rows of the dashboard that is about to be drawn, while it is being drawn. */
export async function prefetchFirstMachines(
  queryClient: QueryClient,
  { pathname, search }: { pathname: string; search: string },
): Promise<void> {
  if (pathname !== '/') return
  const { node, tab, sort, search: text } = dashboardSearch.parse(parseSearch(search))
  if (sort !== undefined || text !== undefined) return
  const info = await queryClient.fetchQuery(dashInfoQuery)
  const filter = { tab: tab ?? info.default_agent_tbl_tab, node: parseTreeNode(node) }
  await queryClient.prefetchQuery(firstMachinesQuery(filter))
}
