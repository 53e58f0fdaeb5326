import type { CheckState } from '@muster/contract/api/checks'
import {
  type Icon,
  IconAlertTriangle,
  IconAlertTriangleFilled,
  IconChecks,
  IconCircleDashed,
  IconInfoCircle,
} from '@tabler/icons-react'
import classes from './CheckStatus.module.css'
import { type CheckTone, describeStatus } from './check-words.ts'

const ICONS: Record<CheckTone, Icon> = {
  positive: IconChecks,
  negative: IconAlertTriangleFilled,
  warning: IconAlertTriangle,
  info: IconInfoCircle,
  dim: IconCircleDashed,
}

/** The state of a check as shape and word. */
export function CheckStatus({ state }: { state: Pick<CheckState, 'status' | 'alert_severity'> }) {
  const { label, tone } = describeStatus(state)
  const StatusIcon = ICONS[tone]
  return (
    <span className={classes.status} data-tone={tone}>
      <StatusIcon size={16} stroke={1.75} aria-hidden className={classes.icon} />
      {label}
    </span>
  )
}
