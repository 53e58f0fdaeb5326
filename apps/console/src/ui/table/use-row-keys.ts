import type { KeyboardEvent } from 'react'

interface RowKeys {
  count: number
  /** Place of the selected row; -1 = none. */
  selected: number
  /** Rows that fit on the screen. */
  pageRows: number
  select: (index: number) => void
  open: (index: number) => void
  openMenu: (index: number) => void
  /** Space; for rows that can be checked. */
  toggle?: ((index: number) => void) | undefined
  deselect: () => void
}

/** Keys of a table whose rows are selected as a whole; answers whether the key meant something. */
export function handleRowKey(event: KeyboardEvent, keys: RowKeys): boolean {
  const { count, selected } = keys
  if (event.ctrlKey || event.metaKey || event.altKey || count === 0) return false
  const target = moveTo(event.key, keys)
  if (target !== undefined) keys.select(Math.min(count - 1, Math.max(0, target)))
  else if (event.key === 'Escape' && selected >= 0) keys.deselect()
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
