import { useElementSize, useMediaQuery } from '@mantine/hooks'
import { Suspense, useState } from 'react'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { Splitter } from '../../ui/layout/Splitter.tsx'
import { MachinesPane } from '../agents/MachinesPane.tsx'
import { ClientTree } from '../clients/ClientTree.tsx'
import classes from './DashboardPage.module.css'
import { LowerPane } from './LowerPane.tsx'
import { useLowerPane } from './use-lower-pane.ts'
import { useTreeSplitter } from './use-tree-splitter.ts'

const TreeDrawer = lazyPart(() => import('./TreeDrawer.tsx').then((file) => file.TreeDrawer))

/** Clients and sites, their machines, and what is known of the selected one. */
export function DashboardPage() {
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

/** The tree is a drawer, and what is known of a machine is a page of its own. */
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
