import type { TimelineEntry, TimelineKind } from '@muster/contract/api/timeline'
import { formatDate } from '../../ui/layout/date-format.ts'
import type { TimeRange } from '../checks/graph-data.ts'
import classes from './TimelineStrip.module.css'
import { lanesOf, placeOf, ticksOf } from './timeline-lanes.ts'
import { KINDS } from './timeline-columns.tsx'

interface TimelineStripProps {
  entries: readonly TimelineEntry[]
  range: TimeRange
}

/** What happened on the axis of the graphs, a lane for each kind. The list below says the same to the keyboard and aloud. */
export function TimelineStrip({ entries, range }: TimelineStripProps) {
  const lanes = lanesOf(entries)
  if (lanes.length === 0) return null
  return (
    <div className={classes.strip} aria-hidden>
      {lanes.map(({ kind, entries: own }) => (
        <div key={kind} className={classes.lane}>
          <LaneName kind={kind} />
          <div className={classes.track}>
            {own.map((entry) => {
              const { left, width } = placeOf(entry, range)
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
  const { label, icon: KindIcon } = KINDS[kind]
  return (
    <span className={classes.name}>
      <KindIcon size={14} stroke={1.75} aria-hidden />
      <span className={classes.word}>{label}</span>
    </span>
  )
}
