import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { toCsv } from './csv.ts'
import { saveFile } from '../inputs/save-file.ts'

/** Makes the head and the rows below it, when the file is saved. */
export type CsvTable = () => Parameters<typeof toCsv>[0]

interface CsvButtonProps {
  /** What the rows are: "runs". */
  of: string
  /** "history.csv", or what says it when it is saved. */
  fileName: string | (() => string)
  /** Undefined while there is nothing to save. */
  table: CsvTable | undefined
  size?: 'xs'
}

/** Saves what a list shows as a file that spreadsheets open. */
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
