import type { Alert, AlertState } from '@muster/contract/api/alerts'
import {
  type Icon,
  IconBell,
  IconBellPause,
  IconBellOff,
  IconCircleCheck,
  IconUserCheck,
} from '@tabler/icons-react'
import classes from './AlertMarks.module.css'
import { HOLD_LABELS, STATE_LABELS } from './alert-labels.ts'

const ICONS: Record<AlertState, Icon> = {
  open: IconBell,
  acknowledged: IconUserCheck,
  snoozed: IconBellPause,
  resolved: IconCircleCheck,
}

/** The state of an alert, as shape and text: `open · suppressed: maintenance`, `acknowledged · flapping`. */
export function StateMark({ alert }: { alert: Pick<Alert, 'state' | 'hold' | 'flapping'> }) {
  const { state, hold, flapping } = alert
  const isHeld = hold !== null && state !== 'resolved'
  const StateIcon = isHeld ? IconBellOff : ICONS[state]
  return (
    <span className={classes.mark} data-tone={toneOf(state, isHeld)}>
      <StateIcon size={16} stroke={1.75} aria-hidden className="tone-icon" />
      {[
        STATE_LABELS[state],
        ...(isHeld ? [`suppressed: ${HOLD_LABELS[hold].label}`] : []),
        ...(flapping && hold !== 'flapping' ? ['flapping'] : []),
      ].join(' · ')}
    </span>
  )
}

function toneOf(state: AlertState, isHeld: boolean): 'plain' | 'dim' | 'positive' {
  if (state === 'resolved') return 'positive'
  return state === 'open' && !isHeld ? 'plain' : 'dim'
}
