import type { IBuffer, Terminal } from '@xterm/xterm'

/** Maximum number of matches. */
const MAX_HITS = 10_000
const MAX_WORDS_LENGTH = 200

/** Position of a match in the scrollback: a cell, and a number of cells. */
export interface Hit {
  row: number
  col: number
  cells: number
}

/** All matches, ignoring case, oldest first; wrapped lines count as one. */
export function findHits(terminal: Terminal, words: string): Hit[] {
  const wanted = words.slice(0, MAX_WORDS_LENGTH).toLowerCase()
  if (wanted === '') return []
  const { active } = terminal.buffer
  const hits: Hit[] = []
  for (let row = 0; row < active.length && hits.length < MAX_HITS;) {
    const rows = countWrapped(active, row)
    if (readText(active, row, rows).toLowerCase().includes(wanted))
      hits.push(...findInLine(readCells(active, row, rows), wanted, { row, cols: terminal.cols }))
    row += rows
  }
  return hits.slice(0, MAX_HITS)
}

/** Highlights a match and scrolls to it. */
export function showHit(terminal: Terminal, { row, col, cells }: Hit): void {
  terminal.select(col, row, cells)
  terminal.scrollToLine(Math.max(0, row - Math.floor(terminal.rows / 2)))
}

function countWrapped(buffer: IBuffer, row: number): number {
  let rows = 1
  while (buffer.getLine(row + rows)?.isWrapped === true) rows += 1
  return rows
}

function readText(buffer: IBuffer, row: number, rows: number): string {
  let text = ''
  for (let at = row; at < row + rows; at += 1)
    text += buffer.getLine(at)?.translateToString(at === row + rows - 1) ?? ''
  return text
}

/** The characters of a line with their first cell: some take two cells, and some are several characters. */
function readCells(buffer: IBuffer, row: number, rows: number): { text: string; cellOf: number[] } {
  let text = ''
  const cellOf: number[] = []
  let cell = 0
  for (let at = row; at < row + rows; at += 1) {
    const line = buffer.getLine(at)
    for (let col = 0; col < (line?.length ?? 0); col += 1, cell += 1) {
      const drawn = line?.getCell(col)
      if (drawn === undefined || drawn.getWidth() === 0) continue
      const chars = (drawn.getChars() || ' ').toLowerCase()
      for (let each = 0; each < chars.length; each += 1) cellOf.push(cell)
      text += chars
    }
  }
  cellOf.push(cell)
  return { text, cellOf }
}

function findInLine(
  { text, cellOf }: { text: string; cellOf: number[] },
  wanted: string,
  { row, cols }: { row: number; cols: number },
): Hit[] {
  const hits: Hit[] = []
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    const [first = 0, end = 0] = [cellOf[at], cellOf[at + wanted.length]]
    hits.push({ row: row + Math.floor(first / cols), col: first % cols, cells: Math.max(1, end - first) })
  }
  return hits
}
