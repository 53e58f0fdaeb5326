import { useMemo } from 'react'
import { DataTable } from '../../ui/DataTable.tsx'
import type { DataColumn } from '../../ui/data-column.ts'
import { formatDate } from '../../ui/date-format.ts'
import { formatValue } from './check-words.ts'
import type { GraphPoint } from './graph-data.ts'

interface SamplesTableProps {
  points: readonly GraphPoint[]
  unit: string
  /** Each point is the mean of some time. */
  isMean: boolean
}

type Column = DataColumn<GraphPoint, { unit: string }>

const TIME: Column = {
  id: 'time',
  title: 'Time',
  width: 'minmax(160px, 2fr)',
  render: ([at]) => formatDate(at, 'ddd, MMM D YYYY, HH:mm:ss'),
}
const valueColumn = (id: string, title: string, place: 1 | 2 | 3): Column => ({
  id,
  title,
  width: 'minmax(72px, 1fr)',
  render: (point, { unit }) => formatValue(point[place], unit),
})
const SAMPLE_COLUMNS = [TIME, valueColumn('value', 'Value', 1)]
const MEAN_COLUMNS = [
  TIME,
  valueColumn('mean', 'Mean', 1),
  valueColumn('least', 'Least', 2),
  valueColumn('most', 'Most', 3),
]

/** The numbers of a graph, newest first. */
export function SamplesTable({ points, unit, isMean }: SamplesTableProps) {
  const newestFirst = useMemo(() => points.toReversed(), [points])
  const context = useMemo(() => ({ unit }), [unit])
  return (
    <DataTable
      label="What was measured"
      rows={newestFirst}
      rowKey={([at]) => `${at}`}
      columns={isMean ? MEAN_COLUMNS : SAMPLE_COLUMNS}
      context={context}
      rowHeight={32}
    />
  )
}
