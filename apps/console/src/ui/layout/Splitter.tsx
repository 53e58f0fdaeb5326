import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import classes from './Splitter.module.css'

interface SplitterProps {
  label: string
  /** Direction of the line itself: a vertical line separates left and right. */
  orientation: 'vertical' | 'horizontal'
  value: number
  min: number
  max: number
  /** Step of an arrow key, in units of the value. */
  step: number
  /** Units of the value per pixel to the right or down; negative when moving there decreases it. */
  unitsPerPixel: () => number
  /** While dragging. */
  onMove: (value: number) => void
  /** When released, or after a key. */
  onCommit: (value: number) => void
  /** The value that a double click and Delete restore. */
  initial: number
  valueText?: string
}

const KEYS: Record<SplitterProps['orientation'], Record<string, number>> = {
  vertical: { ArrowLeft: -1, ArrowRight: 1 },
  horizontal: { ArrowUp: -1, ArrowDown: 1 },
}

/** The line between two panes; dragged, or moved with arrow keys. It takes no space: it overlaps the edge. */
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
