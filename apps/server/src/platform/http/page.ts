import { AppError } from '@muster/contract/errors'
import type { ListQuery } from '@muster/contract/fields'
import { toSortKey } from '@muster/rules/search/tree-order'

export const DEFAULT_PAGE_SIZE = 50

/**
 * Applies `?search=&sort=&page=&page_size=` to a list: every search word must occur in some text field; `sort` is a
 * field name, prefixed by `-` for descending; texts sort naturally (rules/sort-key).
 */
export function pageOf(rows: unknown[], query: ListQuery): unknown {
  let chosen = rows
  if (query.search !== undefined) chosen = searchRows(chosen, query.search)
  if (query.sort !== undefined) chosen = sortRows(chosen, query.sort)
  if (query.page === undefined) return chosen
  const size = query.page_size ?? DEFAULT_PAGE_SIZE
  return {
    total: chosen.length,
    page: query.page,
    page_size: size,
    results: chosen.slice((query.page - 1) * size, query.page * size),
  }
}

function searchRows(rows: unknown[], search: string): unknown[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return rows.filter((row) => {
    const text = Object.values(row ?? {})
      .filter((value) => typeof value === 'string')
      .join('\n')
      .toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

function sortRows(rows: unknown[], sort: string): unknown[] {
  const descending = sort.startsWith('-')
  const field = descending ? sort.slice(1) : sort
  // Read once per row: doing so in each comparison takes 15 times as long.
  const keyed = rows.map((row) => ({ row, value: readField(row, field) }))
  if (keyed.length > 0 && keyed.every(({ value }) => value === undefined)) {
    throw new AppError('invalid', `The list cannot be sorted by "${field}".`, {
      fields: { sort: ['This field does not exist.'] },
    })
  }
  const direction = descending ? -1 : 1
  const sorted = keyed.map(({ row, value }) => ({
    row,
    key: typeof value === 'number' ? value : textOf(value),
  }))
  sorted.sort((a, b) => direction * compare(a.key, b.key))
  return sorted.map(({ row }) => row)
}

function readField(row: unknown, field: string): unknown {
  if (typeof row !== 'object' || row === null || !Object.hasOwn(row, field)) return undefined
  return Object.getOwnPropertyDescriptor(row, field)?.value
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return a === b ? 0 : keyText(a) < keyText(b) ? -1 : 1
}

const keyText = (key: number | string) => (typeof key === 'number' ? toSortKey(String(key)) : key)

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'boolean' ? toSortKey(String(value)) : ''
}
