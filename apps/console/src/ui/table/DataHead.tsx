import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import classes from './DataTable.module.css'
import type { TableSort } from './data-column.ts'

/** Height of the line of titles. */
export const HEAD_PX = 30

interface HeadColumn {
  id: string
  title: string
  titleHidden?: boolean
  numeric?: boolean
  sortable?: boolean
}

interface DataHeadProps {
  columns: readonly HeadColumn[]
  sort: TableSort | undefined
  onSort: ((column: string) => void) | undefined
}

/** The titles, which stay on top; a click sorts, a second one the other way round. */
export function DataHead({ columns, sort, onSort }: DataHeadProps) {
  return (
    <div role="rowgroup" className={classes.head} style={{ height: HEAD_PX }}>
      <div role="row" aria-rowindex={1} className={classes.headRow}>
        {columns.map((column) => (
          <div
            key={column.id}
            role="columnheader"
            className={classes.headCell}
            data-numeric={column.numeric}
            {...(column.sortable === true ? { 'aria-sort': ariaSort(column.id, sort) } : {})}
          >
            {column.sortable === true && onSort ? (
              <button
                type="button"
                className={classes.sort}
                onClick={() => onSort(column.id)}
                {...tipOf(column)}
              >
                <Title column={column} />
                {sort?.column === column.id && <Arrow descending={sort.descending} />}
              </button>
            ) : (
              <span {...tipOf(column)}>
                <Title column={column} />
              </span>
            )}
          </div>
        ))}
      </div>
    </div>
  )
}

function Title({ column: { title, titleHidden = false } }: { column: HeadColumn }) {
  return <span className={titleHidden ? classes.hidden : classes.title}>{title}</span>
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
