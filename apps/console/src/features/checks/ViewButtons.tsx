import { Button } from '@mantine/core'
import { IconChartLine, IconTable } from '@tabler/icons-react'
import { CsvButton, type CsvTable } from '../../ui/table/CsvButton.tsx'

interface ViewButtonsProps {
  asTable: boolean
  onAsTable: (asTable: boolean) => void
  fileName: string
  /** The numbers for the file; absent if there are none. */
  table: CsvTable | undefined
}

/** Switches between graph and table, and downloads the numbers. */
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
      <CsvButton of="numbers" fileName={fileName} table={table} />
    </>
  )
}
