import type { Client } from '@muster/contract/api/clients'
import { type TreeNode, parseTreeNode } from '@muster/rules/search/tree-order'
import { useQuery } from '@tanstack/react-query'
import { clientsQuery } from '../../app/api/queries.ts'
import { useDashboard } from './use-dashboard.ts'

/** The selected node of the tree; undefined = all clients. */
export function useSelectedNode(): TreeNode | undefined {
  return parseTreeNode(useDashboard(({ node }) => node))
}

/** The tree's data of a node. */
export interface NodeFacts {
  name: string
  agent_count: number
  maintenance_mode: boolean
  client: Client
}

export function findNode(clients: readonly Client[], node: TreeNode): NodeFacts | undefined {
  for (const client of clients) {
    if (node.kind === 'Client' && client.id === node.id) return { ...client, client }
    const site = node.kind === 'Site' ? client.sites.find(({ id }) => id === node.id) : undefined
    if (site) return { ...site, client }
  }
  return undefined
}

/** The name of a node; undefined for all clients, and until the tree has loaded. */
export function useNodeName(node: TreeNode | undefined): string | undefined {
  const { data: clients } = useQuery(clientsQuery)
  return node && clients ? findNode(clients, node)?.name : undefined
}

/** Number of machines at a node, of both types; undefined until the tree has loaded. */
export function useNodeTotal(node: TreeNode | undefined): number | undefined {
  const { data: clients } = useQuery(clientsQuery)
  if (clients === undefined) return undefined
  if (node !== undefined) return findNode(clients, node)?.agent_count
  return clients.reduce((sum, client) => sum + client.agent_count, 0)
}
