import { stripVTControlCharacters } from 'node:util'
import { makeVisible } from '@muster/rules/text/safe-text'

/** Title and text of a column. */
export type Column<Row> = readonly [title: string, text: (row: Row) => string]

const GAP = 2
const MIN_COLUMN = 8
const WIDE =
  /[\p{Emoji_Presentation}\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60]/u
const ZERO_WIDTH = /\p{M}/u

/** Text of servers and machines without escape sequences and other active characters. */
export function makeSafe(text: string): string {
  return makeVisible(stripVTControlCharacters(text))
}

/** Aligned columns. Where they are too wide, the widest one is cut. */
export function formatTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  maxWidth = Number.POSITIVE_INFINITY,
): string {
  const cells = [
    columns.map(([title]) => title),
    ...rows.map((row) => columns.map(([, text]) => makeSafe(text(row)).replaceAll(/[\t\n]+/g, ' '))),
  ]
  const widths = columns.map((_, index) =>
    cells.reduce((widest, line) => Math.max(widest, countColumns(line[index] ?? '')), 0),
  )
  for (;;) {
    const total = widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1))
    const widest = Math.max(...widths)
    if (total <= maxWidth || widest <= MIN_COLUMN) break
    widths[widths.indexOf(widest)] = Math.max(
      MIN_COLUMN,
      widest - (total - maxWidth),
      nextWidest(widths, widest) - 1,
    )
  }
  return cells
    .map((line) => {
      const padded = line.map((cell, index) => pad(cell, widths[index] ?? 0))
      return cutTo(padded.join(' '.repeat(GAP)).trimEnd(), maxWidth)
    })
    .join('\n')
}

/** Names and their values, aligned; empty values are left out. */
export function formatFields(fields: Record<string, string>): string {
  const rows = Object.entries(fields).filter(([, value]) => value !== '')
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows
    .map(([name, value]) => `${name.padEnd(width)}  ${makeSafe(value).replaceAll(/[\t\n]+/g, ' ')}`)
    .join('\n')
}

function nextWidest(widths: readonly number[], widest: number): number {
  return Math.max(0, ...widths.filter((width) => width < widest))
}

function pad(cell: string, width: number): string {
  const cut = cutTo(cell, width)
  return cut + ' '.repeat(Math.max(0, width - countColumns(cut)))
}

function cutTo(text: string, width: number): string {
  if (countColumns(text) <= width) return text
  let left = width - 1
  let cut = ''
  for (const char of text) {
    left -= countColumns(char)
    if (left < 0) break
    cut += char
  }
  return `${cut}…`
}

/** Columns of a terminal. */
function countColumns(text: string): number {
  let width = 0
  for (const char of text) width += WIDE.test(char) ? 2 : ZERO_WIDTH.test(char) ? 0 : 1
  return width
}
