import type { Client, Site } from '@muster/contract/api/clients'
import {
  formatTreeNode,
  type NodeColor,
  nodeColor,
  sortTree,
  type TreeSort,
} from '@muster/rules/search/tree-order'
import type { TreeLine } from '../../ui/table/tree-keys.ts'

export const ALL_CLIENTS = 'all'

/** A line of the client tree. */
export interface NodeLine extends TreeLine {
  kind: 'All' | 'Client' | 'Site'
  /** Id of the client or site; 0 for all clients. */
  nodeId: number
  count: number
  color: NodeColor | undefined
  /** Machines in maintenance. */
  maintenance: number
  clientId: number
}

/** Branches that the user opened (true) or closed (false); the others depend on the size of the tree. */
export type Opened = ReadonlyMap<string, boolean>

/** Trees up to this number of lines start with all branches open. */
const OPEN_UP_TO = 40

/** The tree as lines from top to bottom, without closed branches. */
export function listTreeLines(clients: readonly Client[], sort: TreeSort, opened: Opened): NodeLine[] {
  const size = clients.reduce((sum, client) => sum + 1 + client.sites.length, 0)
  const total = clients.reduce((sum, client) => sum + client.agent_count, 0)
  const siblings = clients.length + 1
  return [
    {
      id: ALL_CLIENTS,
      kind: 'All',
      nodeId: 0,
      clientId: 0,
      label: 'All Clients',
      level: 1,
      position: 1,
      siblings,
      count: total,
      color: undefined,
      maintenance: 0,
    },
    ...sortTree(clients, sort).flatMap((client, index) => {
      const id = formatTreeNode({ kind: 'Client', id: client.id })
      const expanded = opened.get(id) ?? size <= OPEN_UP_TO
      const line: NodeLine = {
        ...lineOf('Client', client),
        clientId: client.id,
        level: 1,
        position: index + 2,
        siblings,
        expanded: client.sites.length === 0 ? undefined : expanded,
      }
      return expanded ? [line, ...siteLines(client)] : [line]
    }),
  ]
}

function siteLines({ sites }: Client): NodeLine[] {
  return sites.map((site, index) => ({
    ...lineOf('Site', site),
    clientId: site.client,
    level: 2,
    position: index + 1,
    siblings: sites.length,
  }))
}

function lineOf(kind: 'Client' | 'Site', node: Client | Site) {
  return {
    id: formatTreeNode({ kind, id: node.id }),
    kind,
    nodeId: node.id,
    label: node.name,
    count: node.agent_count,
    color: nodeColor(node),
    maintenance: node.maintenance_count,
  }
}

const COLOR_LABELS: Record<NodeColor, string> = {
  maintenance: 'In maintenance mode',
  negative: 'Check failing',
  warning: 'Check warning',
}

export const describeColor = (color: NodeColor | undefined): string | undefined =>
  color === undefined ? undefined : COLOR_LABELS[color]

const countMachines = (count: number) => `${count} ${count === 1 ? 'machine' : 'machines'}`

/** "2 of 5 machines in maintenance mode"; undefined if all or none are. */
export function describePartialMaintenance({ color, count, maintenance }: NodeLine): string | undefined {
  if (maintenance === 0 || color === 'maintenance') return undefined
  return `${maintenance} of ${countMachines(count)} in maintenance mode`
}

/** The tooltip of a line; `window` describes its maintenance. */
export function describeLine(line: NodeLine, window?: string): string {
  const { kind, nodeId, count, color } = line
  const machines = countMachines(count)
  if (kind === 'All') return machines
  const state = color === 'maintenance' ? (window ?? describeColor(color)) : describeColor(color)
  return [`${kind} ${nodeId}, ${machines}`, state, describePartialMaintenance(line)]
    .filter(Boolean)
    .join('\n')
}
