import type { ComponentProps, ReactNode } from 'react'
import classes from './CheckGraph.module.css'
import { AXIS_PX, type GraphCursor } from './graph-options.ts'

interface GraphCanvasProps extends Omit<ComponentProps<'div'>, 'className' | 'role'> {
  label: string
  /** Of the last point; below 0 where there is none. */
  last: number
  cursor: GraphCursor | undefined
  /** What is told at the cursor, or at the end. */
  text: string
  height: number
}

/** Where a graph is drawn: a slider that walks its points, for the keyboard and for who hears it. */
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

/** The exact value, beside the cursor: on the side where there is room. The slider's own value says it aloud. */
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
      Drag to zoom. With the keyboard: arrows walk, + and − zoom, Shift and arrows move the time.
    </p>
  )
}
