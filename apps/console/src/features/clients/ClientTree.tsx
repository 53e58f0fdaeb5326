import type { Client } from '@muster/contract/api/clients'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, useMemo, useState } from 'react'
import {
  DEFAULT_TREE_SORT,
  formatTreeNode,
  type NodeColor,
  parseTreeNode,
  type TreeSort,
} from '@muster/rules/search/tree-order'
import { ActionIcon, Button } from '@mantine/core'
import {
  IconAlertCircle,
  IconAlertTriangle,
  IconBuilding,
  IconBuildingCommunity,
  IconBuildingPlus,
  IconHome,
  IconSortDescending,
  IconTool,
} from '@tabler/icons-react'
import { savePreferences } from '@muster/contract/calls/users'
import { describeError, isRefused } from '../../app/api/describe-error.ts'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { clientsQuery, dashInfoQuery, useDashInfo, useMay } from '../../app/api/queries.ts'
import { createStore, useStore } from '../../app/session/store.ts'
import { ErrorState, NoPermission, SkeletonRows } from '../../ui/layout/States.tsx'
import { Tree } from '../../ui/table/Tree.tsx'
import type { Point } from '../../ui/dialog/menu-entry.ts'
import { useChangeDashboard, useDashboard } from '../dashboard/use-dashboard.ts'
import { useMaintenanceTip } from '../maintenance/use-maintenance-tip.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { useHoverTip } from '../../ui/layout/use-hover-tip.tsx'
import { call } from '../../app/api/api.ts'
import classes from './ClientTree.module.css'
import {
  ALL_CLIENTS,
  describeColor,
  describeLine,
  describePartialMaintenance,
  listTreeLines,
  type NodeLine,
  type Opened,
} from './tree-lines.ts'

/** Changes the order of the tree at once and saves it in the background. */
function useTreeSort(): { sort: TreeSort; toggle: () => void } {
  const sort = useDashInfo()?.client_tree_sort ?? DEFAULT_TREE_SORT
  const queryClient = useQueryClient()
  const show = (client_tree_sort: TreeSort) =>
    queryClient.setQueryData(dashInfoQuery.queryKey, (old) => (old ? { ...old, client_tree_sort } : old))
  const { mutate } = useMutation({
    mutationFn: (client_tree_sort: TreeSort) => call(savePreferences, { body: { client_tree_sort } }),
    onMutate: show,
    onError: (_error, wanted) => show(other(wanted)),
  })
  return { sort, toggle: () => mutate(other(sort)) }
}

const other = (sort: TreeSort): TreeSort => (sort === 'alpha' ? 'alphafail' : 'alpha')

const ICONS = { All: IconHome, Client: IconBuilding, Site: IconBuildingCommunity }
const MARKS = { maintenance: IconTool, negative: IconAlertTriangle, warning: IconAlertCircle }

interface TreeLineContentProps {
  line: NodeLine
  /** End and reason of the maintenance, if known. */
  maintenance?: string | undefined
}

/** Icon, name, state and number of machines. */
function TreeLineContent({ line, maintenance }: TreeLineContentProps) {
  const LineIcon = ICONS[line.kind]
  const partial = describePartialMaintenance(line)
  return (
    <span className={classes.content} data-color={line.color} data-tip={describeLine(line, maintenance)}>
      <LineIcon size={16} stroke={1.75} aria-hidden className={classes.icon} />
      <span className={classes.label}>{line.label}</span>{' '}
      <span className={classes.count} data-line-end>
        {line.count}
      </span>
      {partial !== undefined && (
        <>
          <IconTool size={12} stroke={1.75} aria-hidden className={classes.partial} />{' '}
          <span className="read-only-aloud">{partial}</span>
        </>
      )}
      {line.color !== undefined && <Mark color={line.color} />}
    </span>
  )
}

/** Shown before the number, and read after it. */
function Mark({ color }: { color: NodeColor }) {
  const Icon = MARKS[color]
  return (
    <>
      <Icon size={14} stroke={1.75} aria-hidden className={classes.mark} />{' '}
      <span className="read-only-aloud">{describeColor(color)}</span>
    </>
  )
}

const NodeMenu = lazyPart(() => import('./NodeMenu.tsx').then((file) => file.NodeMenu))

interface ClientTreeProps {
  /** Called after a node was selected; closes the drawer. */
  onChosen?: () => void
}

/** Clients and their sites. Ready means loaded, or failed to load. */
export function ClientTree({ onChosen }: ClientTreeProps) {
  const { data: clients, error, isPending, refetch } = useQuery(clientsQuery)
  return (
    <div className={classes.pane} aria-busy={isPending}>
      <div className="pane">
        {clients !== undefined ? (
          <Lines clients={clients} onChosen={onChosen} />
        ) : error === null ? (
          <SkeletonRows rows={8} height={30} />
        ) : isRefused(error) ? (
          <NoPermission message="Your role does not allow you to see clients." />
        ) : (
          <ErrorState {...describeError(error)} onRetry={() => void refetch()} />
        )}
      </div>
      <TreeTools />
    </div>
  )
}

// Outside the component, so that the tree keeps its open branches.
const openedBranches = createStore<Opened>(new Map())

function Lines({ clients, onChosen }: { clients: readonly Client[]; onChosen: (() => void) | undefined }) {
  const opened = useStore(openedBranches, (map) => map)
  const { sort } = useTreeSort()
  const selected = useDashboard(({ node }) => node)
  const select = useSelectNode()
  const tipOf = useMaintenanceTip(clients)
  const [menu, setMenu] = useState<{ line: NodeLine; at: Point }>()
  const lines = useMemo(() => listTreeLines(clients, sort, opened), [clients, sort, opened])
  return (
    <>
      <Tree
        label="Clients and sites"
        lines={lines}
        selected={selected ?? ALL_CLIENTS}
        onSelect={(line) => {
          select(line.id)
          onChosen?.()
        }}
        onToggle={(ids, expanded) =>
          openedBranches.set(new Map([...opened, ...ids.map((id) => [id, expanded] as const)]))
        }
        hasMenu={(line) => line.kind !== 'All'}
        onMenu={(line, at) => setMenu({ line, at })}
        renderLine={(line) => (
          <TreeLineContent line={line} maintenance={tipOf(line.kind, line.nodeId, line.clientId)} />
        )}
      />
      {menu && (
        <Suspense fallback={null}>
          <NodeMenu line={menu.line} at={menu.at} onClose={() => setMenu(undefined)} />
        </Suspense>
      )}
    </>
  )
}

/**
 * Selects a node of the tree; selecting it again, or all clients, clears the selection. A new node shows other machines, so
 * the selected machine is cleared, and the search if the user's preferences say so.
 */
function useSelectNode(): (id: string) => void {
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

/** The line under the tree: its order, and a button for a new client. */
function TreeTools() {
  const { sort, toggle } = useTreeSort()
  const mayAdd = useMay('can_manage_clients')
  const { open } = useDialog()
  const { tip, handlers } = useHoverTip()
  const failingFirst = sort === 'alphafail'
  return (
    <div className={classes.tools} {...handlers}>
      <Button
        variant="subtle"
        color={failingFirst ? 'blue' : 'gray'}
        className={classes.tool}
        leftSection={<IconSortDescending size={16} stroke={1.75} aria-hidden />}
        aria-pressed={failingFirst}
        data-tip={failingFirst ? 'Sort by name only' : 'Show failing clients first'}
        onClick={toggle}
      >
        Failing first
      </Button>
      {mayAdd && (
        <ActionIcon aria-label="Add client" data-tip="Add client" onClick={() => open('add-client')}>
          <IconBuildingPlus size={16} stroke={1.75} />
        </ActionIcon>
      )}
      {tip}
    </div>
  )
}
