import type { CheckState } from '@muster/contract/api/checks'
import {
  type Icon,
  IconAlertTriangle,
  IconAlertTriangleFilled,
  IconChecks,
  IconCircleDashed,
  IconHelpHexagon,
  IconInfoCircle,
} from '@tabler/icons-react'
import { useNow } from '../../ui/layout/use-now.ts'
import classes from './CheckStatus.module.css'
import { type CheckTone, describeStatus } from './check-labels.ts'

const ICONS: Record<CheckTone, Icon> = {
  positive: IconChecks,
  negative: IconAlertTriangleFilled,
  warning: IconAlertTriangle,
  unknown: IconHelpHexagon,
  info: IconInfoCircle,
  dim: IconCircleDashed,
}

/** Only checks have results that become old. */
type ShownState = Pick<CheckState, 'status' | 'alert_severity'> &
  Partial<Pick<CheckState, 'fresh_until' | 'last_run'>>

const TICK_MS = 10_000

/** The state of a check as shape and text. */
export function CheckStatus({ state }: { state: ShownState }) {
  const nowMs = useNow(state.fresh_until == null ? undefined : TICK_MS)
  const { label, tone } = describeStatus(state, nowMs)
  const StatusIcon = ICONS[tone]
  return (
    <span className={classes.status} data-tone={tone}>
      <StatusIcon size={16} stroke={1.75} aria-hidden className="tone-icon" />
      {label}
    </span>
  )
}
