import { useMergedRef } from '@mantine/hooks'
import {
  type CSSProperties,
  type KeyboardEvent,
  memo,
  type MouseEvent,
  type ReactNode,
  type Ref,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { type MenuEntry, type Point, runShortcut } from '../dialog/menu-entry.ts'
import { useHoverTip } from '../layout/use-hover-tip.tsx'
import classes from './DataTable.module.css'
import { DataHead, HEAD_PX, HeadCheck, type HeadTarget } from './DataHead.tsx'
import type { DataCard, DataColumn, TableSort } from './data-column.ts'
import { type RowChecks, useRowChecks } from './row-checks.ts'
import { useFixedRows } from './use-fixed-rows.ts'

export interface DataTableProps<Row, Context> {
  label: string
  rows: readonly Row[]
  rowKey: (row: Row) => string
  columns: readonly DataColumn<Row, Context>[]
  context: Context
  rowHeight: number
  /** Below this width it scrolls sideways. */
  minWidth?: number
  sort?: TableSort | undefined
  onSort?: (column: string) => void
  /** A new width in pixels, by a drag of the edge of a title or by Alt and an arrow; null = the usual width again. */
  onResize?: ((column: string, width: number | null) => void) | undefined
  /** A right click or the menu key on a title. */
  onHeadMenu?: ((target: HeadTarget) => void) | undefined
  selected?: string | undefined
  onSelect?: (row: Row | undefined) => void
  /** On click, in addition to selecting. */
  onClickRow?: (row: Row) => void
  /** Enter. */
  onOpen?: (row: Row) => void
  /** Space. */
  onToggle?: (row: Row) => void
  onDoubleClick?: (row: Row) => void
  onMenu?: (row: Row, at: Point) => void
  /** Menu entries whose shortcuts F2 and Del work on the selected row. */
  menuOf?: (row: Row) => readonly MenuEntry[]
  /** A check box on each row. Space, Shift and Ctrl work on them; a plain click still selects. */
  checks?: RowChecks<Row> | undefined
  /** Shown when there are no rows. */
  empty?: ReactNode
  /** Draws rows as cards in a narrow window. */
  card?: DataCard<Row, Context> | undefined
  /** A new key scrolls to the first row: a new search, for example. */
  scrollKey?: string
  /** In a dialog: takes the focus on opening, and again when a dialog above closes. */
  autoFocus?: boolean
  /** Takes the focus: `ref.current?.focus()`. */
  ref?: Ref<HTMLDivElement>
}

/** A table of any length: only rows in view are drawn. Arrow keys move, Enter opens. */
export function DataTable<Row, Context>(props: DataTableProps<Row, Context>) {
  const { label, rows, rowKey, columns, context, selected, card, minWidth, checks, empty, ref, ...on } = props
  const scroller = useRef<HTMLDivElement>(null)
  const id = useId()
  const { tip, handlers } = useHoverTip()
  const [announced, setAnnounced] = useState('')
  const height = card?.height ?? on.rowHeight
  const headHeight = card === undefined ? HEAD_PX : 0
  const {
    rows: inView,
    totalPx,
    scrollTo,
  } = useFixedRows({
    scroller,
    count: rows.length,
    rowPx: height,
    headPx: headHeight,
  })

  const indexOf = (key: string | undefined) =>
    key === undefined ? -1 : rows.findIndex((row) => rowKey(row) === key)
  const select = (index: number) => {
    const row = rows[index]
    if (row === undefined) return
    on.onSelect?.(row)
    scrollTo(index)
  }
  const boxes = useRowChecks({ rows, rowKey, checks, selected })
  useScrollUp(scroller, on.scrollKey)
  useFocus(scroller, on.autoFocus === true)
  useShowSelected(selected, rows.length > 0, (key) => {
    const index = indexOf(key)
    if (index >= 0) scrollTo(index)
  })
  const rowOf = (event: MouseEvent): Row | undefined => {
    const element = event.target instanceof Element ? event.target.closest('[data-row]') : null
    return element === null ? undefined : rows[indexOf(element.getAttribute('data-row') ?? undefined)]
  }
  const openMenu = (index: number) => {
    const row = rows[index]
    const rect = document.getElementById(`${id}-${selected}`)?.getBoundingClientRect()
    if (row !== undefined && rect) on.onMenu?.(row, { x: rect.left + 32, y: rect.bottom })
  }
  const shown = rows.slice(inView.first, inView.end)
  const isShown = selected !== undefined && shown.some((row) => rowKey(row) === selected)

  return (
    <div className={classes.root}>
      <div
        ref={useMergedRef(scroller, ref ?? null)}
        role="grid"
        tabIndex={0}
        {...(on.autoFocus === true ? { 'data-autofocus': true } : {})}
        className={classes.table}
        aria-label={label}
        aria-rowcount={rows.length + 1}
        {...(isShown ? { 'aria-activedescendant': `${id}-${selected}` } : {})}
        style={tableStyle(
          checks === undefined ? columns : [CHECK_COLUMN, ...columns],
          card === undefined ? minWidth : undefined,
        )}
        {...handlers}
        onKeyDown={(event) => {
          if (event.target !== event.currentTarget) return
          const at = indexOf(selected)
          const row = rows[at]
          if (row !== undefined && on.menuOf !== undefined && runShortcut(on.menuOf(row), event.key)) return
          if (boxes !== undefined && (event.ctrlKey || event.metaKey) && event.key === 'a') {
            event.preventDefault()
            boxes.checkAll()
            return
          }
          handleRowKey(event, {
            count: rows.length,
            selected: at,
            pageRows: Math.max(1, Math.floor(event.currentTarget.clientHeight / height) - 1),
            select,
            open: (index) => rows[index] !== undefined && on.onOpen?.(rows[index]),
            openMenu,
            toggle:
              boxes?.toggle ??
              (on.onToggle && ((index) => rows[index] !== undefined && on.onToggle?.(rows[index]))),
            extend: boxes?.extend,
            deselect: () => on.onSelect?.(undefined),
          })
        }}
        onMouseDown={(event) => {
          if (boxes === undefined || !event.shiftKey || rowOf(event) === undefined) return
          // Or the browser would select the text between the rows.
          event.preventDefault()
          scroller.current?.focus({ preventScroll: true })
        }}
        onClick={(event) => {
          const row = rowOf(event)
          if (row === undefined) return
          if (boxes !== undefined && event.shiftKey) boxes.extend(indexOf(rowKey(row)))
          else if (boxes !== undefined && (event.ctrlKey || event.metaKey || isOnCheck(event)))
            boxes.toggle(indexOf(rowKey(row)))
          else {
            on.onSelect?.(row)
            on.onClickRow?.(row)
          }
        }}
        onDoubleClick={(event) => {
          const row = rowOf(event)
          if (row !== undefined && !(boxes !== undefined && isOnCheck(event))) on.onDoubleClick?.(row)
        }}
        onContextMenu={(event) => {
          const row = rowOf(event)
          if (row === undefined || on.onMenu === undefined) return
          event.preventDefault()
          on.onSelect?.(row)
          // The menu key raises this too, without a position; onKeyDown has handled it.
          if (event.button === 2) on.onMenu(row, { x: event.clientX, y: event.clientY })
        }}
      >
        {card === undefined && (
          <DataHead
            columns={columns}
            sort={on.sort}
            onSort={on.onSort}
            onResize={on.onResize}
            onHeadMenu={on.onHeadMenu}
            onAnnounce={setAnnounced}
            check={
              checks !== undefined &&
              boxes !== undefined && (
                <HeadCheck label={checks.labelAll} state={boxes.state} onToggle={boxes.toggleAll} />
              )
            }
          />
        )}
        <div role="rowgroup" className={classes.body} style={{ height: totalPx }}>
          {shown.map((row, at) => {
            const key = rowKey(row)
            const index = inView.first + at
            return (
              <DataRow
                key={key}
                id={`${id}-${key}`}
                rowKey={key}
                row={row}
                context={context}
                index={index}
                top={index * height}
                height={height}
                selected={key === selected}
                checked={checks?.checked.has(key)}
                checkLabel={checks?.label(row)}
                columns={columns}
                card={card}
              />
            )
          })}
        </div>
      </div>
      {rows.length === 0 && empty !== undefined && (
        // Outside the grid, which may contain rows only.
        <div className={classes.empty} style={{ top: headHeight }}>
          {empty}
        </div>
      )}
      {on.onResize !== undefined && (
        <span className="read-only-aloud" aria-live="polite">
          {announced}
        </span>
      )}
      {tip}
    </div>
  )
}

const isOnCheck = (event: MouseEvent) =>
  event.target instanceof Element && event.target.closest('[data-check]') !== null

/** Rows that load after their dialog has opened take the focus, too. */
function useFocus(scroller: RefObject<HTMLElement | null>, wanted: boolean): void {
  useEffect(() => {
    if (wanted) scroller.current?.focus()
  }, [scroller, wanted])
}

function useScrollUp(scroller: RefObject<HTMLElement | null>, key: string | undefined): void {
  const shown = useRef(key)
  useLayoutEffect(() => {
    if (shown.current === key) return
    shown.current = key
    scroller.current?.scrollTo({ top: 0 })
  }, [scroller, key])
}

/** Scrolls to a row that was selected elsewhere: by the address, a link or the palette. */
function useShowSelected(selected: string | undefined, ready: boolean, show: (key: string) => void): void {
  const shown = useRef<string>(undefined)
  useEffect(() => {
    if (!ready || shown.current === selected) return
    shown.current = selected
    if (selected !== undefined) show(selected)
  })
}

function tableStyle(
  columns: readonly { width: string }[],
  minWidth: number | undefined,
): CSSProperties & Record<`--${string}`, string> {
  return {
    '--tracks': columns.map(({ width }) => width).join(' '),
    '--least': minWidth === undefined ? '0px' : `${minWidth}px`,
  }
}

interface RowKeys {
  count: number
  /** Index of the selected row; -1 = none. */
  selected: number
  /** Rows that fit on the screen. */
  pageRows: number
  select: (index: number) => void
  open: (index: number) => void
  openMenu: (index: number) => void
  /** Space; for rows with a checkbox. */
  toggle?: ((index: number) => void) | undefined
  /** Shift and a movement; for rows with a check box. */
  extend?: ((index: number) => void) | undefined
  deselect: () => void
}

/** Keys of a table with whole-row selection; returns whether the key was handled. */
function handleRowKey(event: KeyboardEvent, keys: RowKeys): boolean {
  const { count, selected } = keys
  if (event.ctrlKey || event.metaKey || event.altKey || count === 0) return false
  const target = moveTo(event.key, keys)
  if (target !== undefined) {
    const index = Math.min(count - 1, Math.max(0, target))
    if (event.shiftKey) keys.extend?.(index)
    keys.select(index)
  } else if (event.key === 'Escape' && selected >= 0) keys.deselect()
  else if (selected < 0) return false
  else if (event.key === 'Enter') keys.open(selected)
  else if (event.key === ' ' && keys.toggle !== undefined) keys.toggle(selected)
  else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) keys.openMenu(selected)
  else return false
  event.preventDefault()
  return true
}

function moveTo(key: string, { count, selected, pageRows }: RowKeys): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return selected + 1
    case 'ArrowUp':
      return selected < 0 ? count - 1 : selected - 1
    case 'PageDown':
      return selected + pageRows
    case 'PageUp':
      return selected < 0 ? count - 1 : selected - pageRows
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}

/** Wide enough for a finger together with the padding of the row. */
const CHECK_COLUMN = { width: '28px' }

interface DataRowProps<Row, Context> {
  id: string
  rowKey: string
  row: Row
  context: Context
  /** Index among all rows, from 0. */
  index: number
  top: number
  height: number
  selected: boolean
  /** undefined = no check box. */
  checked: boolean | undefined
  checkLabel: string | undefined
  columns: readonly DataColumn<Row, Context>[]
  card: DataCard<Row, Context> | undefined
}

function Row<RowData, Context>(props: DataRowProps<RowData, Context>) {
  const { id, rowKey, row, context, index, top, height, selected, checked, columns, card } = props
  return (
    <div
      role="row"
      id={id}
      aria-rowindex={index + 2}
      aria-selected={selected}
      data-row={rowKey}
      className={classes.row}
      data-card={card !== undefined || undefined}
      data-checked={checked === true || undefined}
      style={{ height, transform: `translateY(${top}px)` }}
    >
      {checked !== undefined && (
        <div role="gridcell" className={classes.check} data-check>
          {/* Takes no focus: the table handles the click, and Space on the selected row. */}
          <span
            role="checkbox"
            aria-checked={checked}
            aria-label={props.checkLabel}
            className={classes.box}
          />
        </div>
      )}
      {card === undefined ? (
        columns.map((column) => (
          <Cell key={column.id} watched={column.watch?.(row)} numeric={column.numeric}>
            {column.render(row, context)}
          </Cell>
        ))
      ) : (
        <div role="gridcell" className={classes.card}>
          {card.render(row, context)}
        </div>
      )}
    </div>
  )
}

interface CellProps {
  watched: unknown
  numeric: boolean | undefined
  children: ReactNode
}

function Cell({ watched, numeric, children }: CellProps) {
  // Two names for one animation, used alternately: only a new name restarts it.
  const [seen, setSeen] = useState({ watched, changes: 0 })
  if (!Object.is(seen.watched, watched)) setSeen({ watched, changes: seen.changes + 1 })
  const { changes } = seen
  return (
    <div
      role="gridcell"
      className={classes.cell}
      data-numeric={numeric}
      data-tint={changes === 0 ? undefined : changes % 2}
    >
      {children}
    </div>
  )
}

// memo(): rows render again only when they or their context change. It loses the generic type.
const DataRow = memo(Row) as typeof Row
