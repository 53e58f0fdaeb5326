import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import classes from './Splitter.module.css'

interface SplitterProps {
  label: string
  /** The line's own direction: a vertical line stands between left and right. */
  orientation: 'vertical' | 'horizontal'
  value: number
  min: number
  max: number
  /** How far an arrow key goes, in units of the value. */
  step: number
  /** Units of the value for one pixel to the right or down; negative where moving there makes less of it. */
  unitsPerPixel: () => number
  /** While it moves. */
  onMove: (value: number) => void
  /** When it is let go, or after a key. */
  onCommit: (value: number) => void
  /** Where a double click and Delete put it. */
  initial: number
  valueText?: string
}

const KEYS: Record<SplitterProps['orientation'], Record<string, number>> = {
  vertical: { ArrowLeft: -1, ArrowRight: 1 },
  horizontal: { ArrowUp: -1, ArrowDown: 1 },
}

/** The line between two panes; dragged, or moved with arrow keys. It takes no room: it lies over the edge. */
export function Splitter(props: SplitterProps) {
  const { label, orientation, value, min, max, step, unitsPerPixel, onMove, onCommit, initial } = props
  const drag = useRef<{ start: number; value: number; now: number } | undefined>(undefined)
  const clamp = (wanted: number) => Math.min(max, Math.max(min, wanted))
  const place = (event: PointerEvent) => (orientation === 'vertical' ? event.clientX : event.clientY)

  const set = (wanted: number) => {
    const next = clamp(wanted)
    if (next === value) return
    onMove(next)
    onCommit(next)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = KEYS[orientation][event.key]
    const large = event.shiftKey ? 5 : 1
    if (direction !== undefined) set(value + direction * step * large * Math.sign(unitsPerPixel()))
    else if (event.key === 'Home') set(min)
    else if (event.key === 'End') set(max)
    else if (event.key === 'Enter' || event.key === 'Delete') set(initial)
    else return
    event.preventDefault()
  }
  const onPointerMove = (event: PointerEvent) => {
    const from = drag.current
    if (from === undefined) return
    from.now = clamp(from.value + (place(event) - from.start) * unitsPerPixel())
    onMove(from.now)
  }
  const onPointerUp = () => {
    const from = drag.current
    drag.current = undefined
    if (from !== undefined && from.now !== from.value) onCommit(from.now)
  }

  return (
    <div
      role="separator"
      tabIndex={0}
      className={classes.line}
      data-orientation={orientation}
      aria-label={label}
      aria-orientation={orientation}
      aria-valuenow={Math.round(value)}
      aria-valuemin={Math.round(min)}
      aria-valuemax={Math.round(max)}
      aria-valuetext={props.valueText}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        drag.current = { start: place(event), value, now: value }
      }}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onLostPointerCapture={onPointerUp}
      onDoubleClick={() => set(initial)}
    />
  )
}
