import type { Severity } from '@muster/contract/fields'
import { type Icon, IconAlertTriangle, IconAlertTriangleFilled, IconInfoCircle } from '@tabler/icons-react'
import classes from './AlertMarks.module.css'
import { SEVERITY_LABELS } from './alert-labels.ts'

export const SEVERITY_TONES = { error: 'negative', warning: 'warning', info: 'info' } as const
const ICONS: Record<Severity, Icon> = {
  error: IconAlertTriangleFilled,
  warning: IconAlertTriangle,
  info: IconInfoCircle,
}

interface SeverityMarkProps {
  severity: Severity
  /** Reads the text aloud only: where the shape is part of a line of text. */
  shapeOnly?: boolean
}

/** The severity, as shape and text. */
export function SeverityMark({ severity, shapeOnly = false }: SeverityMarkProps) {
  const SeverityIcon = ICONS[severity]
  return (
    <span className={classes.mark} data-tone={SEVERITY_TONES[severity]}>
      <SeverityIcon size={16} stroke={1.75} aria-hidden className="tone-icon" />
      <span className={shapeOnly ? 'read-only-aloud' : undefined}>{SEVERITY_LABELS[severity]}</span>
    </span>
  )
}
