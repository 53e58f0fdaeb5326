import { Portal } from '@mantine/core'
import { type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import classes from './HoverTip.module.css'

const DELAY_MS = 300
const EDGE_PX = 8
/** Same value as in the style sheet. */
const WIDEST_PX = 360

/**
 * Tooltips for elements with `data-tip` and for table cells with cut text. One tooltip serves a whole table: one per
 * cell would cost more than the table. Users without a pointer get the same text from the cell's accessible name.
 */
export function useHoverTip(): { tip: ReactNode; handlers: HoverTipHandlers } {
  const [shown, setShown] = useState<{ text: string; rect: DOMRect; element: Element }>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const over = useRef<Element | null>(null)
  const hide = () => {
    clearTimeout(timer.current)
    over.current = null
    setShown(undefined)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  useEffect(() => {
    if (shown === undefined) return
    const controller = new AbortController()
    const options = { capture: true, signal: controller.signal }
    window.addEventListener('keydown', () => setShown(undefined), options)
    // The event of a scroll that ended before the tooltip was shown may arrive late.
    const hideMoved = () => {
      const { left, top } = shown.element.getBoundingClientRect()
      if (left !== shown.rect.left || top !== shown.rect.top) setShown(undefined)
    }
    window.addEventListener('scroll', hideMoved, options)
    return () => controller.abort()
  }, [shown])
  const onPointerOver = (event: PointerEvent) => {
    const element =
      event.target instanceof Element ? event.target.closest('[data-tip], [role=gridcell]') : null
    if (element === over.current) return
    hide()
    if (element === null || event.pointerType === 'touch') return
    over.current = element
    // Measured only now: a table that has just been drawn may not have its widths when the pointer enters.
    timer.current = setTimeout(() => {
      const text = element.isConnected ? tipOf(element) : ''
      if (text !== '') setShown({ text, element, rect: element.getBoundingClientRect() })
    }, DELAY_MS)
  }
  return {
    tip: shown === undefined ? null : <Tip text={shown.text} rect={shown.rect} />,
    handlers: { onPointerOver, onPointerLeave: hide, onPointerDown: hide, onWheel: hide },
  }
}

interface HoverTipHandlers {
  onPointerOver: (event: PointerEvent) => void
  onPointerLeave: () => void
  onPointerDown: () => void
  onWheel: () => void
}

function tipOf(element: Element): string {
  const text = element.getAttribute('data-tip')
  if (text !== null) return text
  const isCut = [element, ...element.querySelectorAll('.cut')].some(
    ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
  )
  return isCut ? (element.textContent ?? '') : ''
}

function Tip({ text, rect }: { text: string; rect: DOMRect }) {
  const below = rect.bottom + 80 < window.innerHeight
  const left = Math.max(EDGE_PX, Math.min(rect.left, window.innerWidth - WIDEST_PX - EDGE_PX))
  return (
    <Portal>
      <div
        className={classes.tip}
        data-below={below || undefined}
        style={{ left, top: below ? rect.bottom + 5 : rect.top - 5 }}
        aria-hidden
      >
        {text}
      </div>
    </Portal>
  )
}
