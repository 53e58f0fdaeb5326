/**
 * Rows as CSV for spreadsheets: every value quoted, CRLF between lines. A value that a spreadsheet would run as a
 * formula begins with an apostrophe.
 */
export function toCsv(rows: readonly (readonly (string | number | null | undefined)[])[]): string {
  return rows.map((row) => `${row.map(toCell).join(',')}\r\n`).join('')
}

const FORMULA = /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠|]|^[\t\r\n]/u

function toCell(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '""'
  if (typeof value === 'number') return `"${value}"`
  const text = value.replaceAll('"', '""')
  return FORMULA.test(value) ? `"'${text}"` : `"${text}"`
}
