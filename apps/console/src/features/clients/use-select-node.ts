import { formatTreeNode, parseTreeNode } from '@muster/rules/search/tree-node'
import { useDashInfo } from '../../app/api/queries.ts'
import { useChangeDashboard, useDashboard } from '../dashboard/use-dashboard.ts'

/**
 * Selects a node of the tree; the selected one again, or all clients, selects none. Another node's machines are shown
 * then, so the selected machine goes, and with it the search where the user wants that.
 */
export function useSelectNode(): (id: string) => void {
  const selected = useDashboard(({ node }) => node)
  const clearSearch = useDashInfo()?.clear_search_when_switching === true
  const change = useChangeDashboard()
  return (id) => {
    const chosen = parseTreeNode(id)
    const node = chosen === undefined || id === selected ? undefined : formatTreeNode(chosen)
    change(
      { node, agent: undefined, entry: undefined, ...(clearSearch ? { search: undefined } : {}) },
      'step',
    )
  }
}
