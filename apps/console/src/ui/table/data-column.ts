import type { ReactNode } from 'react'

/** A column of a table. `Context` is the cells' other data: the time, the user's date format. */
export interface DataColumn<Row, Context = undefined> {
  id: string
  title: string
  /** The title is for screen readers and the tooltip only; icons need no text above them. */
  titleHidden?: boolean
  /** A grid track: `120px`, `minmax(90px, 1fr)`. */
  width: string
  /** Numbers align at the end of the cell, and so does the title. */
  numeric?: boolean
  sortable?: boolean
  render: (row: Row, context: Context) => ReactNode
  /** When this changes while the row is on screen, the cell flashes for a second. */
  watch?: (row: Row) => unknown
}

export interface TableSort {
  column: string
  descending: boolean
}

/** How rows appear in a narrow window: each as a card of two lines. */
export interface DataCard<Row, Context> {
  height: number
  render: (row: Row, context: Context) => ReactNode
}
