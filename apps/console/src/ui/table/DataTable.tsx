import { useMergedRef } from '@mantine/hooks'
import {
  type CSSProperties,
  type MouseEvent,
  type ReactNode,
  type Ref,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
} from 'react'
import { DataHead, HEAD_PX } from './DataHead.tsx'
import { DataRow } from './DataRow.tsx'
import classes from './DataTable.module.css'
import type { DataCard, DataColumn, TableSort } from './data-column.ts'
import { type MenuEntry, type Point, runShortcut } from '../dialog/menu-entry.ts'
import { useFixedRows } from './use-fixed-rows.ts'
import { useHoverTip } from '../layout/use-hover-tip.tsx'
import { handleRowKey } from './use-row-keys.ts'

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
  selected?: string | undefined
  onSelect?: (row: Row | undefined) => void
  /** A click, beside selecting. */
  onClickRow?: (row: Row) => void
  /** Enter. */
  onOpen?: (row: Row) => void
  /** Space. */
  onToggle?: (row: Row) => void
  onDoubleClick?: (row: Row) => void
  onMenu?: (row: Row, at: Point) => void
  /** Whose shortcuts F2 and Del work on the selected row. */
  menuOf?: (row: Row) => readonly MenuEntry[]
  /** In place of rows, when there are none. */
  empty?: ReactNode
  /** Rows as cards, where the window is narrow. */
  card?: DataCard<Row, Context> | undefined
  /** Another one brings the first row into view: another search, say. */
  scrollKey?: string
  /** In a dialog: has the keyboard from the start, and again when what stood over the dialog is gone. */
  autoFocus?: boolean
  /** Takes the keyboard: `ref.current?.focus()`. */
  ref?: Ref<HTMLDivElement>
}

/** A table of any length: only the rows in view are drawn. Walked with arrows, opened with Enter. */
export function DataTable<Row, Context>(props: DataTableProps<Row, Context>) {
  const { label, rows, rowKey, columns, context, selected, card, minWidth, empty, ref, ...on } = props
  const scroller = useRef<HTMLDivElement>(null)
  const id = useId()
  const { tip, handlers } = useHoverTip()
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
        style={tableStyle(columns, card === undefined ? minWidth : undefined)}
        {...handlers}
        onKeyDown={(event) => {
          if (event.target !== event.currentTarget) return
          const at = indexOf(selected)
          const row = rows[at]
          if (row !== undefined && on.menuOf !== undefined && runShortcut(on.menuOf(row), event.key)) return
          handleRowKey(event, {
            count: rows.length,
            selected: at,
            pageRows: Math.max(1, Math.floor(event.currentTarget.clientHeight / height) - 1),
            select,
            open: (index) => rows[index] !== undefined && on.onOpen?.(rows[index]),
            openMenu,
            toggle: on.onToggle && ((index) => rows[index] !== undefined && on.onToggle?.(rows[index])),
            deselect: () => on.onSelect?.(undefined),
          })
        }}
        onClick={(event) => {
          const row = rowOf(event)
          if (row === undefined) return
          on.onSelect?.(row)
          on.onClickRow?.(row)
        }}
        onDoubleClick={(event) => {
          const row = rowOf(event)
          if (row !== undefined) on.onDoubleClick?.(row)
        }}
        onContextMenu={(event) => {
          const row = rowOf(event)
          if (row === undefined || on.onMenu === undefined) return
          event.preventDefault()
          on.onSelect?.(row)
          // The menu key raises this too, at no place of its own; onKeyDown has seen to that.
          if (event.button === 2) on.onMenu(row, { x: event.clientX, y: event.clientY })
        }}
      >
        {card === undefined && <DataHead columns={columns} sort={on.sort} onSort={on.onSort} />}
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
                columns={columns}
                card={card}
              />
            )
          })}
        </div>
      </div>
      {rows.length === 0 && empty !== undefined && (
        // Not in the grid, which holds rows only.
        <div className={classes.empty} style={{ top: headHeight }}>
          {empty}
        </div>
      )}
      {tip}
    </div>
  )
}

/** Rows that come after their dialog has opened take the keyboard, too. */
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

/** Brings a row into view that was selected elsewhere: by the address, a link or the palette. */
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
