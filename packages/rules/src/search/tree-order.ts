/**
 * A sort key for names: ignores case and accents and compares numbers by value, so that PC-2 comes before PC-10.
 * Comparing two keys with `<` is much faster than a locale's comparison.
 */
export function toSortKey(text: string): string {
  const known = keys.get(text)
  if (known !== undefined) return known
  const key = makeKey(text)
  // Names come from bounded lists. This limit only protects a console that is never closed.
  if (keys.size > MAX_KEYS) keys.clear()
  keys.set(text, key)
  return key
}

const MAX_KEYS = 500_000
const DIGITS = 12
const keys = new Map<string, string>()

function makeKey(text: string): string {
  const plain = isAscii(text) ? text : text.normalize('NFKD').replaceAll(/\p{M}/gu, '')
  return plain.toLowerCase().replaceAll(/\d+/g, (digits) => digits.padStart(DIGITS, '0'))
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 127) return false
  return true
}

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

/** A node of the client tree, as in the URL and the selection. */
export type TreeNode = { kind: 'Client' | 'Site'; id: number }
export type TreeNodeKey = `${TreeNode['kind']}|${number}`

/** `Client|3` or `Site|7`. */
export function formatTreeNode({ kind, id }: TreeNode): TreeNodeKey {
  return `${kind}|${id}`
}

/** Parses a key; undefined if invalid, because users can edit the URL. */
export function parseTreeNode(key: unknown): TreeNode | undefined {
  if (typeof key !== 'string') return undefined
  const [, kind, digits] = /^(Client|Site)\|([1-9]\d{0,15})$/.exec(key) ?? []
  const id = Number(digits)
  if ((kind !== 'Client' && kind !== 'Site') || !Number.isSafeInteger(id)) return undefined
  return { kind, id }
}
