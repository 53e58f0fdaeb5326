import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import type { Point } from '../dialog/menu-entry.ts'
import classes from './DataTable.module.css'
import type { TableSort } from './data-column.ts'

/** Height of the header row. */
export const HEAD_PX = 30

interface HeadColumn {
  id: string
  title: string
  titleHidden?: boolean
  numeric?: boolean
  sortable?: boolean
}

/** A title whose menu is wanted. */
export interface HeadTarget {
  column: string
  at: Point
  /** Width of the column in pixels; undefined = it cannot be changed. */
  widthPx: number | undefined
}

interface DataHeadProps {
  columns: readonly HeadColumn[]
  sort: TableSort | undefined
  onSort: ((column: string) => void) | undefined
  onResize: ((column: string, width: number | null) => void) | undefined
  onHeadMenu: ((target: HeadTarget) => void) | undefined
  /** A change by a key, as text for screen readers. */
  onAnnounce: (text: string) => void
  /** The check box for all rows. */
  check: ReactNode
}

/** The header, which stays on top; a click sorts, a second click reverses. Alt and an arrow change the width. */
export function DataHead({ columns, check, ...on }: DataHeadProps) {
  return (
    <div role="rowgroup" className={classes.head} style={{ height: HEAD_PX }}>
      <div role="row" aria-rowindex={1} className={classes.headRow}>
        {check}
        {columns.map((column) => (
          <HeadCell key={column.id} column={column} {...on} />
        ))}
      </div>
    </div>
  )
}

function HeadCell({
  column,
  sort,
  onSort,
  onResize,
  onHeadMenu,
  onAnnounce,
}: Omit<DataHeadProps, 'columns' | 'check'> & { column: HeadColumn }) {
  const { id, title } = column
  const resize = column.titleHidden === true ? undefined : onResize
  const openMenu = (cell: HTMLElement, at?: Point) => {
    const { left, bottom } = cell.getBoundingClientRect()
    const widthPx = resize === undefined ? undefined : cell.offsetWidth
    onHeadMenu?.({ column: id, at: at ?? { x: left, y: bottom }, widthPx })
  }
  return (
    <div
      role="columnheader"
      className={classes.headCell}
      data-numeric={column.numeric}
      {...(column.sortable === true ? { 'aria-sort': ariaSort(id, sort) } : {})}
      onKeyDown={(event) => {
        const step = event.altKey ? ARROW_STEPS[event.key] : undefined
        if (step !== undefined && resize !== undefined) {
          const width = limitWidth(event.currentTarget.offsetWidth + step)
          resize(id, width)
          onAnnounce(`${title}, width ${width} pixels`)
        } else if (onHeadMenu !== undefined && isMenuKey(event)) openMenu(event.currentTarget)
        else return
        event.preventDefault()
      }}
      onContextMenu={(event) => {
        if (onHeadMenu === undefined) return
        event.preventDefault()
        // The menu key raises this too; onKeyDown has handled it.
        if (event.button === 2) openMenu(event.currentTarget, { x: event.clientX, y: event.clientY })
      }}
    >
      {column.sortable === true && onSort ? (
        <button
          type="button"
          className={classes.sort}
          onClick={() => onSort(id)}
          {...(resize === undefined ? {} : { 'aria-keyshortcuts': 'Alt+ArrowLeft Alt+ArrowRight' })}
          {...tipOf(column)}
        >
          <Title column={column} />
          {sort?.column === id && <Arrow descending={sort.descending} />}
        </button>
      ) : (
        <span {...tipOf(column)}>
          <Title column={column} />
        </span>
      )}
      {resize !== undefined && <Grip onResize={(width) => resize(id, width)} />}
    </div>
  )
}

/** Pixels that a key adds to the width of a column. */
const ARROW_STEPS: Partial<Record<string, number>> = { ArrowLeft: -16, ArrowRight: 16 }

const isMenuKey = ({ key, shiftKey }: KeyboardEvent) => key === 'ContextMenu' || (key === 'F10' && shiftKey)

interface HeadCheckProps {
  label: string
  state: 'all' | 'some' | 'none'
  onToggle: () => void
}

export function HeadCheck({ label, state, onToggle }: HeadCheckProps) {
  return (
    <div role="columnheader" className={classes.check}>
      <input
        type="checkbox"
        aria-label={label}
        checked={state === 'all'}
        ref={(box) => {
          if (box !== null) box.indeterminate = state === 'some'
        }}
        onChange={onToggle}
      />
    </div>
  )
}

function Title({ column: { title, titleHidden = false } }: { column: HeadColumn }) {
  return <span className={titleHidden ? 'read-only-aloud' : 'cut'}>{title}</span>
}

function Arrow({ descending }: { descending: boolean }) {
  const Icon = descending ? IconArrowDown : IconArrowUp
  return <Icon size={14} stroke={1.75} aria-hidden className={classes.arrow} />
}

const tipOf = ({ title, titleHidden = false }: HeadColumn) => (titleHidden ? { 'data-tip': title } : {})

function ariaSort(id: string, sort: TableSort | undefined): 'ascending' | 'descending' | 'none' {
  if (sort?.column !== id) return 'none'
  return sort.descending ? 'descending' : 'ascending'
}

const MIN_COLUMN_PX = 40
const MAX_COLUMN_PX = 1000

export const limitWidth = (px: number): number =>
  Math.min(MAX_COLUMN_PX, Math.max(MIN_COLUMN_PX, Math.round(px)))

/** The edge of a title: dragging it changes the width, a double click restores it. */
function Grip({ onResize }: { onResize: (width: number | null) => void }) {
  const start = useRef<{ x: number; width: number }>(undefined)
  return (
    <span
      className={classes.grip}
      aria-hidden
      onPointerDown={(event) => {
        const cell = event.currentTarget.parentElement
        if (cell === null || event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        start.current = { x: event.clientX, width: cell.offsetWidth }
      }}
      onPointerMove={(event) => {
        if (start.current === undefined) return
        const { x, width } = start.current
        onResize(limitWidth(width + event.clientX - x))
      }}
      onPointerUp={() => {
        start.current = undefined
      }}
      onDoubleClick={() => onResize(null)}
    />
  )
}
