import { Button } from '@mantine/core'
import { IconChartLine, IconDownload, IconTable } from '@tabler/icons-react'
import { toCsv } from '../../ui/csv.ts'
import { saveFile } from '../../ui/save-file.ts'

interface ViewButtonsProps {
  asTable: boolean
  onAsTable: (asTable: boolean) => void
  fileName: string
  /** The numbers for the file; absent while there are none. */
  table: (() => Parameters<typeof toCsv>[0]) | undefined
}

/** Numbers as a graph or as a table, and as a file. */
export function ViewButtons({ asTable, onAsTable, fileName, table }: ViewButtonsProps) {
  const Icon = asTable ? IconChartLine : IconTable
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon size={16} stroke={1.75} aria-hidden />}
        onClick={() => onAsTable(!asTable)}
      >
        {asTable ? 'Graph' : 'Table'}
      </Button>
      <Button
        variant="default"
        leftSection={<IconDownload size={16} stroke={1.75} aria-hidden />}
        aria-label="Download these numbers as CSV"
        disabled={table === undefined}
        onClick={() => table && saveFile(fileName, `\uFEFF${toCsv(table())}`, 'text/csv')}
      >
        CSV
      </Button>
    </>
  )
}
