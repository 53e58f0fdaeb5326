import { useMediaQuery } from '@mantine/hooks'
import type { TimelineEntry, TimelineKind } from '@muster/contract/api/timeline'
import { use, useMemo, useState } from 'react'
import { formatDuration } from '@muster/rules/text/units'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { formatDate } from '../../ui/layout/date-format.ts'
import { DateFormat } from '../../ui/layout/date-format-context.ts'
import { EmptyState } from '../../ui/layout/States.tsx'
import type { TimeRange } from '../checks/graph-data.ts'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import { SeverityMark } from '../alerts/SeverityMark.tsx'
import classes from './Timeline.module.css'
import { EVENT_KINDS, useOpenEntry } from './event-kinds.ts'
import { lanesOf, positionOf, ticksOf } from './timeline-lanes.ts'

const ROW_PX = 36
/** As high as its rows, up to a part of the screen. */
const boxPx = (rows: number, rowPx: number) => Math.min(320, 48 + Math.max(2, rows) * rowPx)

interface TimelineProps {
  entries: readonly TimelineEntry[]
  /** Kinds with more entries than listed. */
  cut: readonly TimelineKind[]
  /** Time range of the graphs. */
  range: TimeRange
}

/** Events in the time range of the graphs; opening an entry leads to its details. */
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
      <h3 className={classes.title}>Events</h3>
      <TimelineStrip entries={entries} range={range} />
      <div
        className={classes.box}
        style={{ height: boxPx(entries.length, hasCards ? TIMELINE_CARD.height : ROW_PX) }}
      >
        <DataTable
          label="Events"
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
          empty={<EmptyState message="No events in this time range." />}
        />
      </div>
      {cut.length > 0 && <p className="dim small">More events exist. Choose a shorter time range.</p>}
    </>
  )
}

/** An upgrade adds many entries of one kind in one second. */
const keyOf = ({ kind, id, from, text }: TimelineEntry) => `${kind} ${id ?? text} ${from}`

interface TimelineStripProps {
  entries: readonly TimelineEntry[]
  range: TimeRange
}

/** Events on the axis of the graphs, a lane for each kind. The list below has the same content for keyboards and screen readers. */
function TimelineStrip({ entries, range }: TimelineStripProps) {
  const lanes = lanesOf(entries)
  if (lanes.length === 0) return null
  return (
    <div className={classes.strip} aria-hidden>
      {lanes.map(({ kind, entries: own }) => (
        <div key={kind} className={classes.lane}>
          <LaneName kind={kind} />
          <div className={classes.track}>
            {own.map((entry) => {
              const { left, width } = positionOf(entry, range)
              return (
                <span
                  key={`${entry.id ?? ''} ${entry.from}`}
                  className={classes.mark}
                  data-kind={kind}
                  data-severity={entry.severity ?? undefined}
                  title={`${formatDate(entry.from, 'ddd, MMM D, HH:mm:ss')}  ${entry.text}`}
                  style={{ left: `${left}%`, width: `${width}%` }}
                />
              )
            })}
          </div>
        </div>
      ))}
      <div className={classes.lane}>
        <span />
        <div className={classes.axis}>
          {ticksOf(range).map(({ at, left, format }) => (
            <span key={at} style={{ left: `${left}%` }}>
              {formatDate(at, format)}
            </span>
          ))}
        </div>
      </div>
    </div>
  )
}

function LaneName({ kind }: { kind: TimelineKind }) {
  const { label, icon: KindIcon } = EVENT_KINDS[kind]
  return (
    <span className={classes.name}>
      <KindIcon size={14} stroke={1.75} aria-hidden />
      <span className={classes.word}>{label}</span>
    </span>
  )
}

interface TimelineContext {
  format: (seconds: number) => string
}
type Column = DataColumn<TimelineEntry, TimelineContext>

const TIMELINE_COLUMNS: readonly Column[] = [
  { id: 'from', title: 'Time', width: '172px', render: ({ from }, { format }) => format(from) },
  { id: 'kind', title: 'Event', width: '148px', render: (entry) => <Kind entry={entry} /> },
  { id: 'text', title: 'Details', width: 'minmax(160px, 3fr)', render: ({ text }) => <bdi>{text}</bdi> },
  { id: 'severity', title: 'Severity', width: '110px', render: ({ severity }) => severity && <SeverityMark severity={severity} /> },
  { id: 'lasting', title: 'Duration', width: '110px', render: describeLength },
  { id: 'by', title: 'By', width: '120px', render: ({ by }) => <bdi>{by || '–'}</bdi> },
] // prettier-ignore
const TIMELINE_PX = 860

const TIMELINE_CARD: DataCard<TimelineEntry, TimelineContext> = {
  height: 64,
  render: (entry, { format }) => (
    <div className={classes.card}>
      <span className={classes.line}>
        <Kind entry={entry} />
        <span className="dim small">{format(entry.from)}</span>
      </span>
      <bdi className="cut">{entry.text}</bdi>
    </div>
  ),
}

function Kind({ entry: { kind } }: { entry: TimelineEntry }) {
  const { label, icon: KindIcon } = EVENT_KINDS[kind]
  return (
    <span className="icon-text">
      <KindIcon size={16} stroke={1.75} aria-hidden />
      {label}
    </span>
  )
}

const MOMENTS: ReadonlySet<TimelineKind> = new Set(['change', 'policy', 'reboot', 'system'])

function describeLength({ from, to, kind }: TimelineEntry): string {
  if (to === null) return 'ongoing'
  return MOMENTS.has(kind) ? '–' : formatDuration(to - from)
}
