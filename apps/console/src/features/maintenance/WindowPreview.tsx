import type { MaintenanceSchedule } from '@muster/contract/api/maintenance'
import { nextOccurrences, type Occurrence, occurrenceAt } from '@muster/rules/schedules/maintenance-schedule'
import { wallClockAt } from '@muster/rules/schedules/zone-time'
import { useDateFormat } from '../../ui/layout/date-format.ts'
import { ownTimeZone } from '../setup/time-zones.ts'
import classes from './Maintenance.module.css'
import { describeSchedule } from './schedule-words.ts'

const TIMES_SHOWN = 3

interface WindowPreviewProps {
  /** Undefined while the form does not describe one. */
  schedule: MaintenanceSchedule | undefined
  /** It begins as soon as it is saved. */
  isNow: boolean
  coversMore: boolean
  nowMs: number
}

/** In words what a window will do, and when it is next. */
export function WindowPreview({ schedule, isNow, coversMore, nowMs }: WindowPreviewProps) {
  return (
    <section className={classes.preview} aria-label="What this does">
      {schedule === undefined ? (
        <p className={classes.dim}>The next times stand here once the fields above are complete.</p>
      ) : (
        <Times schedule={schedule} isNow={isNow} nowMs={nowMs} />
      )}
      <p className={classes.dim}>
        Meanwhile nobody is alerted. Checks go on, and what is held back is listed with the alerts.
        {coversMore && ' Machines that come later are covered too.'}
      </p>
    </section>
  )
}

function Times({ schedule, isNow, nowMs }: { schedule: MaintenanceSchedule; isNow: boolean; nowMs: number }) {
  const format = useDateFormat()
  const on = occurrenceAt(schedule, nowMs)
  const next = nextOccurrences(schedule, nowMs, TIMES_SHOWN)
  return (
    <>
      {isNow ? (
        <p className={classes.strong}>
          {on?.endMs === null || on === undefined
            ? 'On from now on, until somebody ends it.'
            : `On from now until ${format(on.endMs)}.`}
        </p>
      ) : (
        <p className={classes.strong}>{describeSchedule(schedule)}</p>
      )}
      {!isNow && on !== undefined && (
        <p>It is on now{on.endMs === null ? '' : ` until ${format(on.endMs)}`}.</p>
      )}
      {!isNow && on === undefined && next.length === 0 && (
        <p>It is over: none of its times is still to come.</p>
      )}
      {next.length > 0 && (
        <ul className={classes.times} aria-label="Next times">
          {next.map((occurrence) => (
            <li key={occurrence.startMs}>
              {format(occurrence.startMs)}
              {occurrence.endMs !== null && ` to ${format(occurrence.endMs)}`}
              <Elsewhere zone={schedule.time_zone} occurrence={occurrence} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** The clock of the window's zone, where it shows something else than the one of this browser. */
function Elsewhere({ zone, occurrence: { startMs } }: { zone: string; occurrence: Occurrence }) {
  const there = wallClockAt(zone, startMs)
  if (there === wallClockAt(ownTimeZone(), startMs)) return null
  return (
    <span className={classes.dim}>
      {' '}
      ({new Date(there).toISOString().slice(11, 16)} in {zone})
    </span>
  )
}
