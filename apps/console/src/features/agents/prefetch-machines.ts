import type { TableTab } from '@muster/contract/api/users'
import { parseTreeNode } from '@muster/rules/search/tree-order'
import type { QueryClient } from '@tanstack/react-query'
import { dashboardSearch, parseSearch, readTab } from '../../app/search.ts'
import { firstMachinesQuery } from './machines-query.ts'

/** `public/first-paint.js` reads it too. */
const TAB_KEY = 'table_tab'

/** Stores the user's tab for the next page load, which requests its machines before preferences arrive. */
export const rememberTab = (tab: TableTab): void => localStorage.setItem(TAB_KEY, tab)

/** Requests the first rows of the dashboard while it is being drawn. */
export async function prefetchFirstMachines(
  queryClient: QueryClient,
  { pathname, search }: { pathname: string; search: string },
): Promise<void> {
  if (pathname !== '/') return
  const { node, tab: addressed, sort, search: text, view } = dashboardSearch(parseSearch(search))
  if (sort !== undefined || text !== undefined || view !== undefined) return
  // A tab chosen in another browser costs one more request, once.
  const tab = addressed ?? readTab(localStorage.getItem(TAB_KEY)) ?? 'mixed'
  await queryClient.prefetchQuery(firstMachinesQuery({ tab, node: parseTreeNode(node) }))
}
