import { AppError } from '@muster/contract/errors'
import type { ListQuery } from '@muster/contract/fields'

const DEFAULT_PAGE_SIZE = 50

/**
 * Applies `?search=&sort=&page=&page_size=` to a list: every search word must occur in some text field; `sort` is a
 * field name, with `-` in front for descending.
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
    const text = fieldsOf(row)
      .filter((value) => typeof value === 'string')
      .join('\n')
      .toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

function sortRows(rows: unknown[], sort: string): unknown[] {
  const descending = sort.startsWith('-')
  const field = descending ? sort.slice(1) : sort
  const value = (row: unknown): unknown => new Map(Object.entries(row ?? {})).get(field)
  if (rows.length > 0 && !rows.some((row) => value(row) !== undefined)) {
    throw new AppError('invalid', `The list cannot be sorted by "${field}".`, {
      fields: { sort: ['Unknown field.'] },
    })
  }
  const direction = descending ? -1 : 1
  return rows.toSorted((a, b) => direction * compare(value(a), value(b)))
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return textOf(a).localeCompare(textOf(b))
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : ''
}

function fieldsOf(row: unknown): unknown[] {
  return Object.values(row ?? {})
}
