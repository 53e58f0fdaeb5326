import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Client } from '@muster/contract/api/clients'
import { parseTreeNode, type TreeNode } from '@muster/rules/search/tree-order'
import { useQuery } from '@tanstack/react-query'
import type { DashboardSearch } from '../../app/search.ts'
import { clientsQuery } from '../../app/api/queries.ts'

const dashboard = getRouteApi('/signed-in/gated/frame/')

/** Part of the dashboard's address: `useDashboard(({ node }) => node)`. Renders again only when that part changes. */
// The router's own type with the part as a type parameter, which it does not infer through its options.
export const useDashboard = (<Part>(select: (search: DashboardSearch) => Part) =>
  dashboard.useSearch({ select: select as (search: DashboardSearch) => string })) as unknown as <Part>(
  select: (search: DashboardSearch) => Part,
) => Part

export type DashboardChange = { [Name in keyof DashboardSearch]?: DashboardSearch[Name] | undefined }

/** Writes to the dashboard's address. `replace` adds no step to the history: for typing and arrow keys. */
export function useChangeDashboard() {
  const navigate = useNavigate()
  return useCallback(
    (change: DashboardChange, how: 'step' | 'replace') =>
      void navigate({
        to: '/',
        search: (old) => ({ ...old, ...change }),
        replace: how === 'replace',
        resetScroll: false,
      }),
    [navigate],
  )
}

/** The selected node of the tree; undefined = all clients. */
export function useSelectedNode(): TreeNode | undefined {
  return parseTreeNode(useDashboard(({ node }) => node))
}

/** The tree's data of a node. */
interface NodeFacts {
  name: string
  agent_count: number
  maintenance_mode: boolean
  client: Client
}

function findNode(clients: readonly Client[], node: TreeNode): NodeFacts | undefined {
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

/**
 * A part of the address that changes faster than the address should: typing, or a selection moved by a held arrow key.
 * Shown at once and written to the address after a pause; a change of the address from elsewhere wins.
 */
export function useAddressed<Value>(
  address: Value,
  write: (value: Value) => void,
  pauseMs: number,
): [Value, (value: Value, when?: 'now') => void] {
  const [value, setValue] = useState(address)
  const written = useRef(address)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (Object.is(address, written.current)) return
    clearTimeout(timer.current)
    written.current = address
    setValue(() => address)
  }, [address])
  useEffect(() => () => clearTimeout(timer.current), [])
  const set = useCallback(
    (next: Value, when?: 'now') => {
      setValue(() => next)
      clearTimeout(timer.current)
      const commit = () => {
        written.current = next
        write(next)
      }
      if (when === 'now') commit()
      else timer.current = setTimeout(commit, pauseMs)
    },
    [write, pauseMs],
  )
  return [value, set]
}
