import type {
  CheckCountsOfPolicy,
  CheckOfPolicy,
  TaskCountsOfPolicy,
  TaskOfPolicy,
} from '@muster/contract/policies/policy-items'
import type { CheckState } from '@muster/contract/api/checks'
import { Button } from '@mantine/core'
import { CheckStatus } from '../checks/CheckStatus.tsx'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import classes from './PolicyOverview.module.css'

interface ItemStatusProps {
  kind: 'check' | 'task'
  name: string
  item: Pick<CheckOfPolicy | TaskOfPolicy, 'id' | 'counts'> | undefined
}

/** The status of a saved check or task of a policy on its machines; new ones have none. */
export function ItemStatus({ kind, name, item }: ItemStatusProps) {
  if (item === undefined) return null
  return (
    <>
      <StatusCounts counts={item.counts} />
      <MachinesButton kind={kind} id={item.id} name={name} />
    </>
  )
}

/** The saved item of a draft's number. */
export function findSaved<Item extends { number: number }>(
  items: readonly Item[] | undefined,
  number: number | undefined,
): Item | undefined {
  return items?.find((item) => item.number === number)
}

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

interface MachinesButtonProps {
  kind: 'check' | 'task'
  id: number
  name: string
}

/** Opens the status of a policy's check or task on each of its machines. */
export function MachinesButton({ kind, id, name }: MachinesButtonProps) {
  const { open } = useDialog()
  return (
    <Button
      variant="default"
      size="compact-sm"
      aria-label={`Machines of ${name}`}
      onClick={() => open('policy-status', `${kind}.${id}`)}
    >
      Machines
    </Button>
  )
}
