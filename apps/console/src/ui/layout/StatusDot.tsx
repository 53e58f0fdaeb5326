import { IconTool } from '@tabler/icons-react'
import classes from './StatusDot.module.css'

export type DotState = 'online' | 'away' | 'offline' | 'overdue' | 'maintenance'

interface StatusDotProps {
  state: DotState
  /** The text beside the shape. */
  label?: string
}

/** State as shape and colour: filled dot, half ring, ring, diamond, wrench. */
export function StatusDot({ state, label = state }: StatusDotProps) {
  const shape =
    state === 'maintenance' ? (
      <IconTool size={13} stroke={1.75} aria-hidden className={classes.wrench} />
    ) : (
      <span aria-hidden className={classes.shape} />
    )
  return (
    <span className={classes.root} data-state={state}>
      {shape}
      {label}
    </span>
  )
}
