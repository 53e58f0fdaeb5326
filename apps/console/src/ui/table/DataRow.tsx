import { type ReactNode, memo, useState } from 'react'
import classes from './DataTable.module.css'
import type { DataCard, DataColumn } from './data-column.ts'

interface DataRowProps<Row, Context> {
  id: string
  rowKey: string
  row: Row
  context: Context
  /** Place among all rows, from 0. */
  index: number
  top: number
  height: number
  selected: boolean
  columns: readonly DataColumn<Row, Context>[]
  card: DataCard<Row, Context> | undefined
}

function Row<RowData, Context>(props: DataRowProps<RowData, Context>) {
  const { id, rowKey, row, context, index, top, height, selected, columns, card } = props
  return (
    <div
      role="row"
      id={id}
      aria-rowindex={index + 2}
      aria-selected={selected}
      data-row={rowKey}
      className={classes.row}
      data-card={card !== undefined || undefined}
      style={{ height, transform: `translateY(${top}px)` }}
    >
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
  // Two names for one animation, taken in turn: only another name starts it again.
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

/** Rows are drawn again only when they, or what they are drawn with, have changed. */
// memo() forgets that the component is generic.
export const DataRow = memo(Row) as typeof Row
