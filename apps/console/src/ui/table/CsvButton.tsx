import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { toCsv } from './csv.ts'
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
