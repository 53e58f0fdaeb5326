import { useMemo } from 'react'
import { DataTable } from '../../ui/table/DataTable.tsx'
import type { DataColumn } from '../../ui/table/data-column.ts'
import { formatDate } from '../../ui/layout/date-format.ts'
import { formatValue } from '../checks/check-words.ts'
import { type ComparedLine, type ComparedPoint, listPoints } from './compare-lines.ts'

type Column = DataColumn<ComparedPoint, { unit: string }>

const COLUMNS: Column[] = [
  {
    id: 'time',
    title: 'Time',
    width: 'minmax(160px, 2fr)',
    render: ({ point: [at] }) => formatDate(at, 'ddd, MMM D YYYY, HH:mm:ss'),
  },
  {
    id: 'machine',
    title: 'Machine',
    width: 'minmax(100px, 2fr)',
    render: ({ hostname }) => <bdi>{hostname}</bdi>,
  },
  {
    id: 'value',
    title: 'Value',
    width: 'minmax(72px, 1fr)',
    render: ({ point: [, value] }, { unit }) => formatValue(value, unit),
  },
]

/** The numbers of all lines, newest first. */
export function CompareTable({ lines, unit }: { lines: readonly ComparedLine[]; unit: string }) {
  const rows = useMemo(() => listPoints(lines), [lines])
  const context = useMemo(() => ({ unit }), [unit])
  return (
    <DataTable
      label="What was measured"
      rows={rows}
      rowKey={({ key }) => key}
      columns={COLUMNS}
      context={context}
      rowHeight={32}
    />
  )
}
