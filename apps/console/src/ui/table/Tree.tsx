import { IconChevronRight, IconDots } from '@tabler/icons-react'
import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import classes from './Tree.module.css'
import type { Point } from '../dialog/menu-entry.ts'
import { type TreeLine, findTyped, moveInTree } from './tree-keys.ts'
import { type RowRange, useFixedRows } from './use-fixed-rows.ts'
import { useHoverTip } from '../layout/use-hover-tip.tsx'

interface TreeProps<Line extends TreeLine> {
  label: string
  lines: readonly Line[]
  selected: string
  onSelect: (line: Line) => void
  /** Enter or double click; absent where lines can only be selected. */
  onOpen?: (line: Line) => void
  onToggle: (ids: readonly string[], expanded: boolean) => void
  /** Absent for lines without a menu. */
  onMenu: (line: Line, at: Point) => void
  hasMenu: (line: Line) => boolean
  renderLine: (line: Line) => ReactNode
}

const LINE_PX = 30
const TYPING_PAUSE_MS = 600

/** A tree by the WAI-ARIA pattern: one line has the focus, arrow keys move it, letters find. Any number of lines. */
export function Tree<Line extends TreeLine>(props: TreeProps<Line>) {
  const { label, lines, selected, onSelect, onOpen, onToggle, onMenu, hasMenu, renderLine } = props
  const scroller = useRef<HTMLDivElement>(null)
  const id = useId()
  const { tip, handlers } = useHoverTip()
  const [focusedId, setFocusedId] = useState<string>()
  const wantsFocus = useRef(false)
  const typed = useRef({ text: '', atMs: 0 })
  const focused = Math.max(
    0,
    lines.findIndex((line) => line.id === (focusedId ?? selected)),
  )
  const {
    rows: inView,
    totalPx,
    scrollTo,
  } = useFixedRows({
    scroller,
    count: lines.length,
    rowPx: LINE_PX,
    headPx: 0,
  })
  useLayoutEffect(() => {
    if (!wantsFocus.current) return
    wantsFocus.current = false
    scroller.current?.querySelector<HTMLElement>('[role=treeitem][tabindex="0"]')?.focus()
  })

  const focus = (index: number) => {
    wantsFocus.current = true
    setFocusedId(lines[index]?.id)
    scrollTo(index)
  }
  const openMenu = (index: number, element: Element | null) => {
    const line = lines[index]
    const rect = element?.getBoundingClientRect()
    if (line && rect && hasMenu(line)) onMenu(line, { x: rect.left + 28, y: rect.bottom })
  }
  const type = (letter: string) => {
    const nowMs = performance.now()
    const text = nowMs - typed.current.atMs < TYPING_PAUSE_MS ? typed.current.text + letter : letter
    typed.current = { text, atMs: nowMs }
    const found = findTyped(lines, focused, text)
    if (found !== undefined) focus(found)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const move = moveInTree(lines, focused, event)
    if (move !== undefined) {
      event.preventDefault()
      if ('focus' in move) focus(move.focus)
      else if ('toggle' in move) onToggle(idsAt(lines, move.toggle), move.expanded)
      else if ('menu' in move) openMenu(move.menu, event.currentTarget.querySelector('[tabindex="0"]'))
      else if (lines[move.select])
        (event.key === 'Enter' ? (onOpen ?? onSelect) : onSelect)(lines[move.select]!) // checked above
      return
    }
    // The slash is the search field's shortcut everywhere.
    if (event.key.length === 1 && event.key !== '/') type(event.key)
  }

  return (
    <div ref={scroller} className={classes.tree} {...handlers}>
      <div
        role="tree"
        aria-label={label}
        onKeyDown={onKeyDown}
        className={classes.body}
        style={{ height: totalPx }}
      >
        {drawnLines(inView, focused, lines.length).map((index) => {
          const line = lines[index]
          return line === undefined ? null : (
            <div
              key={line.id}
              role="treeitem"
              aria-labelledby={`${id}-${index}`}
              aria-level={line.level}
              aria-posinset={line.position}
              aria-setsize={line.siblings}
              aria-selected={line.id === selected}
              {...(line.expanded === undefined ? {} : { 'aria-expanded': line.expanded })}
              tabIndex={index === focused ? 0 : -1}
              className={classes.line}
              style={{
                height: LINE_PX,
                transform: `translateY(${index * LINE_PX}px)`,
                paddingInlineStart: indent(line),
              }}
              onFocus={() => setFocusedId(line.id)}
              onClick={() => {
                setFocusedId(line.id)
                onSelect(line)
              }}
              onDoubleClick={() => {
                // The two clicks have opened and closed a branch.
                if (line.expanded === undefined) onOpen?.(line)
              }}
              onContextMenu={(event) => {
                if (!hasMenu(line)) return
                event.preventDefault()
                if (event.button === 2) onMenu(line, { x: event.clientX, y: event.clientY })
              }}
            >
              <Toggle line={line} onToggle={() => onToggle([line.id], line.expanded === false)} />
              <span id={`${id}-${index}`} className={classes.content}>
                {renderLine(line)}
              </span>
              {hasMenu(line) && (
                <button
                  type="button"
                  tabIndex={-1}
                  className={classes.more}
                  aria-label={`Actions on ${line.label}`}
                  onClick={(event) => {
                    event.stopPropagation()
                    openMenu(index, event.currentTarget.parentElement)
                  }}
                >
                  <IconDots size={16} stroke={1.75} aria-hidden />
                </button>
              )}
            </div>
          )
        })}
      </div>
      {tip}
    </div>
  )
}

/** Lines in view, and the focused one, wherever the user scrolls. */
function drawnLines({ first, end }: RowRange, focused: number, count: number): number[] {
  const inView = Array.from({ length: end - first }, (_, at) => first + at)
  return count === 0 || (focused >= first && focused < end) ? inView : [...inView, focused]
}

/** The arrow of a branch. The keyboard has its own keys for it. */
function Toggle({ line, onToggle }: { line: TreeLine; onToggle: () => void }) {
  if (line.expanded === undefined) return null
  return (
    <span
      className={classes.toggle}
      data-expanded={line.expanded || undefined}
      aria-hidden
      onClick={(event) => {
        event.stopPropagation()
        onToggle()
      }}
    >
      <IconChevronRight size={14} stroke={1.75} />
    </span>
  )
}

const TOGGLE_PX = 22

function indent({ level }: TreeLine): number {
  return 8 + (level - 1) * TOGGLE_PX
}

function idsAt(lines: readonly TreeLine[], indexes: readonly number[]): string[] {
  return indexes.flatMap((index) => lines[index]?.id ?? [])
}
