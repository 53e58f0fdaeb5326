/** `alphafail` = failing nodes first. */
export const TREE_SORTS = ['alphafail', 'alpha'] as const
export type TreeSort = (typeof TREE_SORTS)[number]
export const DEFAULT_TREE_SORT: TreeSort = 'alphafail'

export type NodeState = { maintenance_mode: boolean; failing_checks: { error: boolean; warning: boolean } }
export type NodeColor = 'maintenance' | 'negative' | 'warning'
export type SortableNode = NodeState & { name: string }

/** A client or site is in maintenance if it has machines and all of them are. */
export function isInMaintenance(node: { agent_count: number; maintenance_count: number }): boolean {
  return node.agent_count > 0 && node.maintenance_count === node.agent_count
}

/** The colour of a client or site node; undefined = the default. */
export function nodeColor({ maintenance_mode, failing_checks }: NodeState): NodeColor | undefined {
  if (maintenance_mode) return 'maintenance'
  if (failing_checks.error) return 'negative'
  if (failing_checks.warning) return 'warning'
  return undefined
}

/** Sorts clients, and the sites of each, without changing the input. */
export function sortTree<Client extends SortableNode & { sites: readonly SortableNode[] }>(
  clients: readonly Client[],
  sort: TreeSort,
): Client[] {
  return sortNodes(clients, sort).map((client) => ({ ...client, sites: sortNodes(client.sites, sort) }))
}

// One collator for all comparisons: localeCompare looks up the locale each time, which is slow for 10,000 sites.
const byLocale = new Intl.Collator()

function sortNodes<Node extends SortableNode>(nodes: readonly Node[], sort: TreeSort): Node[] {
  return nodes.toSorted(
    (a, b) => (sort === 'alphafail' ? failRank(a) - failRank(b) : 0) || byLocale.compare(a.name, b.name),
  )
}

function failRank(node: NodeState): number {
  const color = nodeColor(node)
  return color === 'negative' || color === 'warning' ? 0 : 1
}
