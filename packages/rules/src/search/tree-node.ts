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
