import { Suspense } from 'react'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { EmptyState } from '../../ui/layout/States.tsx'
import classes from './LowerPane.module.css'
import { useDashboard } from './use-dashboard.ts'

const SelectedMachine = lazyPart(() => import('./SelectedMachine.tsx').then((file) => file.SelectedMachine))

/** What is known of the selected machine. */
export function LowerPane({ contentHeight }: { contentHeight: number }) {
  const agentId = useDashboard(({ agent }) => agent)
  if (agentId === undefined) {
    return (
      <section className={classes.none} aria-label="Selected machine">
        <EmptyState message="Select a machine to see its summary, checks, alerts, history, notes and audit log." />
      </section>
    )
  }
  return (
    <Suspense fallback={null}>
      <SelectedMachine agentId={agentId} contentHeight={contentHeight} />
    </Suspense>
  )
}
