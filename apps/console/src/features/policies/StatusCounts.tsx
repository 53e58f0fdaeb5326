import type { CheckState } from '@muster/contract/api/checks'
import type { CheckCountsOfPolicy, TaskCountsOfPolicy } from '@muster/contract/policies/policy-items'
import { CheckStatus } from '../checks/CheckStatus.tsx'
import classes from './PolicyOverview.module.css'

type State = Pick<CheckState, 'status' | 'alert_severity'> & Partial<Pick<CheckState, 'fresh_until'>>
type Counts = CheckCountsOfPolicy | TaskCountsOfPolicy

// The worst first.
const STATES: Record<string, State> = {
  failing: { status: 'failing', alert_severity: 'error' },
  error: { status: 'failing', alert_severity: 'error' },
  warning: { status: 'failing', alert_severity: 'warning' },
  info: { status: 'failing', alert_severity: 'info' },
  old: { status: 'passing', alert_severity: null, fresh_until: new Date(0).toISOString() },
  pending: { status: 'pending', alert_severity: null },
  passing: { status: 'passing', alert_severity: null },
}

/** Number of machines by status: `2 failing · error, 14 passing`. */
export function StatusCounts({ counts }: { counts: Counts }) {
  const known = new Map<string, number>(Object.entries(counts))
  const shown = Object.entries(STATES).flatMap(([name, state]) => {
    const count = known.get(name) ?? 0
    return count === 0 ? [] : [{ name, state, count }]
  })
  if (shown.length === 0) return <span className={classes.note}>no machines</span>
  return (
    <span className={classes.counts}>
      {shown.map(({ name, state, count }) => (
        <span key={name} className={classes.count}>
          {count} <CheckStatus state={state} />
        </span>
      ))}
    </span>
  )
}
