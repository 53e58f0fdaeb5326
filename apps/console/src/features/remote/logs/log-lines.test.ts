import { expect, test } from 'vitest'
import { LogLines, showPieces } from './log-lines.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const shown = (lines: LogLines, search = '') =>
  showPieces(lines.pieces(), search)
    .map(({ text }) => text)
    .join('')

test('lines come in pieces of any size, cut within a letter as well', () => {
  const lines = new LogLines()
  for (const byte of bytes('Größe\r\nzwei\nunfinished')) lines.take(Uint8Array.of(byte))
  expect(shown(lines)).toBe('Größe\nzwei\nunfinished')
})

test('a line of a megabyte is cut, and says how much is left out', () => {
  const lines = new LogLines()
  const long = bytes('y'.repeat(1024 * 1024))
  for (let from = 0; from < long.length; from += 16_384) lines.take(long.subarray(from, from + 16_384))
  expect(shown(lines)).toMatch(/^y{4000} \.\.\. \(1044576 characters more\)$/)
  lines.take(bytes('\nafter\n'))
  expect(shown(lines)).toMatch(/^y{4000} \.\.\. \(1044576 characters more\)\nafter\n$/)
})

test('hostile escape sequences and bytes of any kind are text', () => {
  const lines = new LogLines()
  lines.take(Uint8Array.of(0, 255, 27, 91, 50, 74, 7, 10))
  expect(shown(lines)).toBe('␀\uFFFD␛[2J␇\n')
})

test('the last million characters of a hundred megabytes are kept', () => {
  const lines = new LogLines()
  const piece = bytes(`${'x'.repeat(99)}\n`.repeat(160))
  for (let count = 0; count < 6250; count += 1) lines.take(piece)
  lines.take(bytes('the end\n'))
  const text = shown(lines)
  expect(text.length).toBeLessThanOrEqual(1_000_000)
  expect(text.length).toBeGreaterThan(900_000)
  expect(text.endsWith('the end\n')).toBe(true)
})

test('only matching lines are shown, and remarks always', () => {
  const lines = new LogLines()
  lines.take(bytes('Disk FULL\nfine\n'))
  lines.remark('file replaced')
  lines.take(bytes('disk full again'))
  expect(shown(lines, 'disk full')).toBe('Disk FULL\n--- file replaced ---\ndisk full again\n')
  lines.clear()
  expect(shown(lines)).toBe('')
})
