import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { saveFile } from '../inputs/save-file.ts'

/** Builds the head and the rows when the file is saved. */
export type CsvTable = () => Parameters<typeof toCsv>[0]

interface CsvButtonProps {
  /** Name of the rows: "runs". */
  of: string
  /** "history.csv", or a function that returns the name on save. */
  fileName: string | (() => string)
  /** Undefined while there are no rows. */
  table: CsvTable | undefined
  size?: 'xs'
}

/** Saves a list as a file for spreadsheets. */
export function CsvButton({ of, fileName, table, size }: CsvButtonProps) {
  return (
    <Button
      variant="default"
      {...(size === undefined ? {} : { size })}
      disabled={table === undefined}
      leftSection={<IconDownload size={16} stroke={1.75} aria-hidden />}
      aria-label={`Download these ${of} as CSV`}
      onClick={() => {
        const name = typeof fileName === 'string' ? fileName : fileName()
        if (table !== undefined) saveFile(name, `\uFEFF${toCsv(table())}`, 'text/csv')
      }}
    >
      CSV
    </Button>
  )
}

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
