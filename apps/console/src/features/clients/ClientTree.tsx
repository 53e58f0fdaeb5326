import type { Client } from '@muster/contract/api/clients'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useMemo, useState } from 'react'
import { describeError, isRefused } from '../../app/api/describe-error.ts'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { clientsQuery } from '../../app/api/queries.ts'
import { createStore, useStore } from '../../app/session/store.ts'
import { ErrorState, NoPermission, SkeletonRows } from '../../ui/layout/States.tsx'
import { Tree } from '../../ui/table/Tree.tsx'
import type { Point } from '../../ui/dialog/menu-entry.ts'
import { useDashboard } from '../dashboard/use-dashboard.ts'
import { useMaintenanceTip } from '../maintenance/use-maintenance-tip.ts'
import classes from './ClientTree.module.css'
import { TreeLineContent } from './TreeLineContent.tsx'
import { TreeTools } from './TreeTools.tsx'
import { ALL_CLIENTS, type NodeLine, type Opened, listTreeLines } from './tree-lines.ts'
import { useSelectNode } from './use-select-node.ts'
import { useTreeSort } from './use-tree-sort.ts'

const NodeMenu = lazyPart(() => import('./NodeMenu.tsx').then((file) => file.NodeMenu))

interface ClientTreeProps {
  /** After a node was chosen; closes the drawer. */
  onChosen?: () => void
}

/** Clients and their sites. Ready means loaded, or failed to load. */
export function ClientTree({ onChosen }: ClientTreeProps) {
  const { data: clients, error, isPending, refetch } = useQuery(clientsQuery)
  return (
    <div className={classes.pane} aria-busy={isPending}>
      <div className={classes.lines}>
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

// Outside of the component, so that the tree stands as it was left when one comes back to it.
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
