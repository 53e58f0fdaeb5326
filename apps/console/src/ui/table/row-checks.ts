import { useMemo, useRef } from 'react'

/** Rows with a check box. Apart from the selected row: a user checks many rows and looks at one of them. */
export interface RowChecks<Row> {
  checked: ReadonlySet<string>
  onChange: (checked: ReadonlySet<string>) => void
  /** Name of the check box of a row: "Select PC-1". */
  label: (row: Row) => string
  labelAll: string
}

interface CheckedRows<Row> {
  rows: readonly Row[]
  rowKey: (row: Row) => string
  checks: RowChecks<Row> | undefined
  selected: string | undefined
}

/** Where a range begins, and what was checked before it. */
interface Anchor {
  key: string
  base: ReadonlySet<string>
  /** Whether the range is checked, or unchecked. */
  on: boolean
  /** The set that it last made: any other change ends the range. */
  made: ReadonlySet<string>
}

/** Changes of the check boxes: one row, a range from the last one, all rows. */
export function useRowChecks<Row>({ rows, rowKey, checks, selected }: CheckedRows<Row>) {
  const anchor = useRef<Anchor>(undefined)
  const checked = checks?.checked
  const state = useMemo(() => summarize(rows, rowKey, checked), [rows, rowKey, checked])
  if (checks === undefined || checked === undefined) return undefined
  const keyAt = (index: number) => {
    const row = rows[index]
    return row === undefined ? undefined : rowKey(row)
  }
  const apply = (next: Anchor) => {
    anchor.current = next
    checks.onChange(next.made)
  }
  return {
    /** Whether all, some or no rows are checked. */
    state,
    toggle: (index: number) => {
      const key = keyAt(index)
      if (key === undefined) return
      const on = !checked.has(key)
      const made = withKeys(checked, [key], on)
      apply({ key, base: made, on, made })
    },
    /** Checks from the row that was checked last to this one, as the range of a text is selected. */
    extend: (index: number) => {
      const key = keyAt(index)
      if (key === undefined) return
      const last = anchor.current
      const from: Anchor =
        last?.made === checked ? last : { key: selected ?? key, base: checked, on: true, made: checked }
      const start = rows.findIndex((row) => rowKey(row) === from.key)
      const [first, end] = start < 0 ? [index, index] : [Math.min(start, index), Math.max(start, index)]
      apply({ ...from, made: withKeys(from.base, rows.slice(first, end + 1).map(rowKey), from.on) })
    },
    /** Checks all rows, or none of them if all are; rows that a search hides keep their check. */
    toggleAll: () => {
      anchor.current = undefined
      checks.onChange(withKeys(checked, rows.map(rowKey), state !== 'all'))
    },
    checkAll: () => {
      anchor.current = undefined
      checks.onChange(withKeys(checked, rows.map(rowKey), true))
    },
  }
}

function summarize<Row>(
  rows: readonly Row[],
  rowKey: (row: Row) => string,
  checked: ReadonlySet<string> | undefined,
): 'all' | 'some' | 'none' {
  if (checked === undefined || checked.size === 0 || rows.length === 0) return 'none'
  const first = rows[0]
  const isFirst = first !== undefined && checked.has(rowKey(first))
  // Ends at the first row that differs.
  const differs = rows.some((row) => checked.has(rowKey(row)) !== isFirst)
  if (differs) return 'some'
  return isFirst ? 'all' : 'none'
}

function withKeys(checked: ReadonlySet<string>, keys: readonly string[], on: boolean): ReadonlySet<string> {
  const next = new Set(checked)
  for (const key of keys) {
    if (on) next.add(key)
    else next.delete(key)
  }
  return next
}
