import { Tooltip } from '@mantine/core'
import { IconTool } from '@tabler/icons-react'
import classes from './StatusDot.module.css'

export type DotState = 'online' | 'away' | 'offline' | 'overdue' | 'maintenance'

interface StatusDotProps {
  state: DotState
  /** The word; beside the shape, or with `shapeOnly` as its tooltip and accessible name. */
  label?: string
  shapeOnly?: boolean
}

/** State as shape and colour: filled dot, half ring, ring, diamond, wrench. */
export function StatusDot({ state, label = state, shapeOnly = false }: StatusDotProps) {
  const shape =
    state === 'maintenance' ? (
      <IconTool size={13} stroke={1.75} aria-hidden className={classes.wrench} />
    ) : (
      <span aria-hidden className={classes.shape} />
    )
  if (!shapeOnly) {
    return (
      <span className={classes.root} data-state={state}>
        {shape}
        {label}
      </span>
    )
  }
  return (
    <Tooltip label={label}>
      <span role="img" aria-label={label} className={classes.root} data-state={state}>
        {shape}
      </span>
    </Tooltip>
  )
}
