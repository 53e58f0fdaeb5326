import { useMemo } from 'react'
import { DataTable } from '../../ui/table/DataTable.tsx'
import type { DataColumn } from '../../ui/table/data-column.ts'
import { formatDate } from '../../ui/layout/date-format.ts'
import { formatValue } from './check-words.ts'
import type { GraphPoint } from './graph-data.ts'
import type { GraphFailure, GraphPeriod } from './graph-marks.ts'
import { stateAt } from './graph-state.ts'

interface SamplesTableProps {
  points: readonly GraphPoint[]
  unit: string
  /** Each point is the mean of some time. */
  isMean: boolean
  failures: readonly GraphFailure[]
  maintenance: readonly GraphPeriod[]
}

type Column = DataColumn<GraphPoint, { unit: string; stateAt: (at: number) => string }>

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
const STATE: Column = {
  id: 'state',
  title: 'Meanwhile',
  width: 'minmax(110px, 1fr)',
  render: ([at], { stateAt: tell }) => tell(at),
}
const SAMPLE_COLUMNS = [TIME, valueColumn('value', 'Value', 1), STATE]
const MEAN_COLUMNS = [
  TIME,
  valueColumn('mean', 'Mean', 1),
  valueColumn('least', 'Least', 2),
  valueColumn('most', 'Most', 3),
  STATE,
]

/** The numbers of a graph, newest first. */
export function SamplesTable({ points, unit, isMean, failures, maintenance }: SamplesTableProps) {
  const newestFirst = useMemo(() => points.toReversed(), [points])
  const context = useMemo(
    () => ({ unit, stateAt: (at: number) => stateAt(at, { failures, maintenance }) }),
    [unit, failures, maintenance],
  )
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
