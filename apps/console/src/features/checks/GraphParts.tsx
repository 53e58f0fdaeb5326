import type { ComponentProps, ReactNode } from 'react'
import classes from './CheckGraph.module.css'
import { AXIS_PX, type GraphCursor } from './graph-options.ts'

interface GraphCanvasProps extends Omit<ComponentProps<'div'>, 'className' | 'role'> {
  label: string
  /** Index of the last point; below 0 if there is none. */
  last: number
  cursor: GraphCursor | undefined
  /** The value at the cursor, or at the end. */
  text: string
  height: number
}

/** Container of a graph: a slider over its points, for keyboards and screen readers. */
export function GraphCanvas({ label, last, cursor, text, height, ...rest }: GraphCanvasProps) {
  const most = Math.max(0, last)
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={most}
      aria-valuenow={Math.min(cursor?.index ?? last, most)}
      aria-valuetext={text}
      className={classes.canvas}
      style={{ height }}
      {...rest}
    />
  )
}

/** The exact value, on the side of the cursor with space. The slider's own value announces it. */
export function GraphTip({ cursor, children }: { cursor: GraphCursor; children: ReactNode }) {
  return (
    <div
      className={classes.tip}
      data-right={cursor.isRight || undefined}
      style={{ left: cursor.left + AXIS_PX }}
      aria-hidden
    >
      {children}
    </div>
  )
}

export function GraphHint() {
  return (
    <p className={classes.hint} aria-hidden>
      Drag to zoom. Keys: arrows move, + and − zoom, Shift + arrows pan.
    </p>
  )
}
