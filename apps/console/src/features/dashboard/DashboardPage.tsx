import { useElementSize, useMediaQuery, useViewportSize } from '@mantine/hooks'
import { Suspense, useState } from 'react'
import { savePreferences } from '@muster/contract/calls/users'
import {
  HEADER_PX,
  initialLowerPaneHeight,
  MENU_BAR_PX,
  TAB_STRIP_PX,
  tabHeight,
  tableHeight,
  TABS_AND_SEARCH_PX,
  TREE_SPLITTER_DEFAULT,
} from '@muster/rules/text/layout'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { Splitter } from '../../ui/layout/Splitter.tsx'
import { MachinesPane } from '../agents/MachinesPane.tsx'
import { ClientTree } from '../clients/ClientTree.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { call } from '../../app/api/api.ts'
import { dashInfoQuery, useDashInfo } from '../../app/api/queries.ts'
import { usePageTitle } from '../../app/shell/page-title.ts'
import classes from './DashboardPage.module.css'
import { useDashboard } from './use-dashboard.ts'

/** Space for the table's header and two rows. */
const TABLE_LEAST_PX = 94

/** Heights on the dashboard: the lower pane takes half until it is dragged, and all follow the window. */
function useLowerPane() {
  const viewport = useViewportSize()
  // Not measured at the first render.
  const windowHeight = viewport.height === 0 ? window.innerHeight : viewport.height
  const [dragged, setDragged] = useState<number>()
  const most = windowHeight - HEADER_PX - MENU_BAR_PX - TABS_AND_SEARCH_PX - TABLE_LEAST_PX
  const limits = {
    min: TAB_STRIP_PX,
    max: Math.max(TAB_STRIP_PX, most),
    initial: initialLowerPaneHeight(windowHeight),
  }
  const height = Math.round(Math.min(limits.max, Math.max(limits.min, dragged ?? limits.initial)))
  return {
    height,
    limits,
    tableHeight: tableHeight(windowHeight, height),
    contentHeight: tabHeight(height),
    move: setDragged,
  }
}

/** Limits so that neither tree nor table vanishes. */
const LIMITS = { min: 10, max: 60, initial: TREE_SPLITTER_DEFAULT }

/** Width of the tree in percent, saved as a whole number on release. */
function useTreeSplitter() {
  const saved = useDashInfo()?.client_tree_splitter ?? TREE_SPLITTER_DEFAULT
  const [moving, setMoving] = useState<number>()
  const queryClient = useQueryClient()
  const { mutate } = useMutation({
    mutationFn: (client_tree_splitter: number) => call(savePreferences, { body: { client_tree_splitter } }),
    onSuccess: ({ client_tree_splitter }) =>
      queryClient.setQueryData(dashInfoQuery.queryKey, (old) =>
        old ? { ...old, client_tree_splitter } : old,
      ),
  })
  const percent = Math.min(LIMITS.max, Math.max(LIMITS.min, moving ?? saved))
  return {
    percent,
    limits: LIMITS,
    move: setMoving,
    save: (wanted: number) => {
      // Stays where it was dropped, although saving may take a moment or fail.
      setMoving(wanted)
      mutate(Math.trunc(wanted))
    },
  }
}

const SelectedMachine = lazyPart(() => import('./SelectedMachine.tsx').then((file) => file.SelectedMachine))

/** Details of the selected machine. */
function LowerPane({ contentHeight }: { contentHeight: number }) {
  const agentId = useDashboard(({ agent }) => agent)
  if (agentId === undefined) {
    return (
      <section className={classes.none} aria-label="Selected machine">
        <EmptyState message="Select a machine to see its details." />
      </section>
    )
  }
  return (
    <Suspense fallback={null}>
      <SelectedMachine agentId={agentId} contentHeight={contentHeight} />
    </Suspense>
  )
}

const TreeDrawer = lazyPart(() => import('./TreeDrawer.tsx').then((file) => file.TreeDrawer))

/** Clients and sites, their machines, and the details of the selected one. */
export function DashboardPage() {
  usePageTitle('Dashboard')
  const isNarrow = useMediaQuery('(max-width: 900px)', undefined, { getInitialValueInEffect: false })
  return isNarrow ? <NarrowDashboard /> : <WideDashboard />
}

function WideDashboard() {
  const tree = useTreeSplitter()
  const lower = useLowerPane()
  const { ref, width } = useElementSize()
  return (
    <div ref={ref} className={classes.page}>
      <h1 className={classes.hidden}>Dashboard</h1>
      <nav className={classes.tree} style={{ width: `${tree.percent}%` }} aria-label="Clients and sites">
        <ClientTree />
      </nav>
      <div className={classes.line} style={{ left: `${tree.percent}%` }}>
        <Splitter
          label="Width of the client tree"
          orientation="vertical"
          value={tree.percent}
          {...tree.limits}
          step={1}
          unitsPerPixel={() => 100 / Math.max(1, width)}
          onMove={tree.move}
          onCommit={tree.save}
          valueText={`${Math.round(tree.percent)} percent`}
        />
      </div>
      <div className={classes.work}>
        <MachinesPane tableHeight={lower.tableHeight} cards={false} opensPage={false} />
        <div className={classes.lower} style={{ height: lower.height }}>
          <Splitter
            label="Height of the machine's pane"
            orientation="horizontal"
            value={lower.height}
            {...lower.limits}
            step={16}
            unitsPerPixel={() => -1}
            onMove={lower.move}
            onCommit={lower.move}
            valueText={`${Math.round(lower.height)} pixels`}
          />
          <LowerPane contentHeight={lower.contentHeight} />
        </div>
      </div>
    </div>
  )
}

/** The tree is a drawer, and a machine opens on its own page. */
function NarrowDashboard() {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const [treeOpened, setTreeOpened] = useState(false)
  return (
    <div className={classes.page}>
      <h1 className={classes.hidden}>Dashboard</h1>
      <div className={classes.work} data-full>
        <MachinesPane
          tableHeight={undefined}
          cards={hasCards}
          opensPage
          start={
            <Suspense fallback={null}>
              <TreeDrawer
                opened={treeOpened}
                onOpen={() => setTreeOpened(true)}
                onClose={() => setTreeOpened(false)}
              />
            </Suspense>
          }
        />
      </div>
    </div>
  )
}
