import { CliError } from '../errors.ts'

export interface CsvRow {
  /** The first line of the row in the file, from 1. */
  line: number
  cells: string[]
}

/** Rows of a CSV file (RFC 4180) without empty lines. Cells in quotes may hold commas, quotes and line ends. */
export function parseCsv(text: string): CsvRow[] {
  const rows: CsvRow[] = []
  let line = 1
  let row: CsvRow = { line, cells: [] }
  // A cell, with its quotes, and the sign behind it.
  const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n|\n|\r|$)/y
  const input = text.replace(/^\uFEFF/, '')
  while (cell.lastIndex < input.length) {
    const match = cell.exec(input)
    if (match === null)
      throw new CliError(`Line ${line}: a quote does not fit. Write "" for a quote inside quotes.`)
    const [, raw = '', end = ''] = match
    row.cells.push(raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw)
    line += raw.split(/\r\n|\n|\r/).length - 1
    if (end === ',' && cell.lastIndex < input.length) continue
    // A comma at the end of the file is before an empty cell.
    if (end === ',') row.cells.push('')
    else line += 1
    if (row.cells.some((text_) => text_.trim() !== '')) rows.push(row)
    row = { line, cells: [] }
  }
  return rows
}
