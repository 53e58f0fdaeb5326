import { useMediaQuery } from '@mantine/hooks'
import type { TimelineEntry, TimelineKind } from '@muster/contract/api/timeline'
import { use, useMemo, useState } from 'react'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { formatDate } from '../../ui/layout/date-format.ts'
import { DateFormat } from '../../ui/layout/date-format-context.ts'
import { EmptyState } from '../../ui/layout/States.tsx'
import { usePane } from '../agents/use-pane.ts'
import type { TimeRange } from '../checks/graph-data.ts'
import classes from './Timeline.module.css'
import { TimelineStrip } from './TimelineStrip.tsx'
import { TIMELINE_CARD, TIMELINE_COLUMNS, TIMELINE_PX, type TimelineContext } from './timeline-columns.tsx'

const ROW_PX = 36
/** As high as its rows, from the sentence that there are none to a screen's part. */
const boxPx = (rows: number, rowPx: number) => Math.min(320, 48 + Math.max(2, rows) * rowPx)

interface TimelineProps {
  entries: readonly TimelineEntry[]
  /** Kinds of which there is more than is listed. */
  cut: readonly TimelineKind[]
  /** Of the graphs. */
  range: TimeRange
}

/** What happened in the time that the graphs show; opening an entry leads to it. */
export function Timeline({ entries, cut, range }: TimelineProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const [selected, setSelected] = useState<string>()
  const format = use(DateFormat)
  const context = useMemo<TimelineContext>(
    () => ({ format: (seconds) => formatDate(seconds, format) }),
    [format],
  )
  const open = useOpenEntry()
  return (
    <>
      <h3 className={classes.title}>What happened</h3>
      <TimelineStrip entries={entries} range={range} />
      <div
        className={classes.box}
        style={{ height: boxPx(entries.length, hasCards ? TIMELINE_CARD.height : ROW_PX) }}
      >
        <DataTable
          label="What happened"
          rows={entries}
          rowKey={keyOf}
          columns={TIMELINE_COLUMNS}
          context={context}
          rowHeight={ROW_PX}
          minWidth={TIMELINE_PX}
          selected={selected}
          onSelect={(row) => setSelected(row && keyOf(row))}
          {...(hasCards ? { onClickRow: open } : {})}
          onOpen={open}
          onDoubleClick={open}
          card={hasCards ? TIMELINE_CARD : undefined}
          empty={<EmptyState message="Nothing happened in this time." />}
        />
      </div>
      {cut.length > 0 && <p className={classes.dim}>There was more. A shorter time shows all of it.</p>}
    </>
  )
}

/** An upgrade brings many of one kind in one second. */
const keyOf = ({ kind, id, from, text }: TimelineEntry) => `${kind} ${id ?? text} ${from}`

/** Where an entry is told in full; a start of the system has no more to tell. */
function useOpenEntry() {
  const { open } = useDialog()
  const { setPane } = usePane()
  return ({ kind, id }: TimelineEntry) => {
    if (id === null) return
    if (kind === 'check') open('check-history', id)
    if (kind === 'alert') open('alert', id)
    if (kind === 'task') open('task-runs', id)
    if (kind === 'run') setPane('history', `${id}`)
    if (kind === 'change') setPane('audit')
  }
}
