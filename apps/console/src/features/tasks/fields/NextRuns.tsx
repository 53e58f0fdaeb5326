import { nextTaskRuns } from '@muster/rules/schedules/task-schedule'
import { wallClockAt } from '@muster/rules/schedules/zone-time'
import moment from 'moment'
import { useDateFormat } from '../../../ui/layout/date-format.ts'
import { useNow } from '../../../ui/layout/use-now.ts'
import { ownTimeZone } from '../../setup/time-zones.ts'
import { toTimes } from '../task-form.ts'
import { knownZone } from '../task-words.ts'
import classes from './TaskFields.module.css'
import type { TaskFieldsProps } from './form-props.ts'

const SHOWN = 5
const NOW_EVERY_MS = 10_000

/** When the task that the form describes runs next, by the clocks of its machine. */
export function NextRuns({ agent, form }: TaskFieldsProps) {
  const nowMs = useNow(NOW_EVERY_MS)
  const times = toTimes(form.values)
  const zone = knownZone(agent.timezone)
  const runs = times === undefined ? [] : nextTaskRuns(times, zone, nowMs, SHOWN)
  return (
    <div className={classes.next} role="region" aria-label="Next runs">
      {times === undefined ? (
        <p className={classes.dim}>The next runs stand here once the fields above are complete.</p>
      ) : runs.length === 0 ? (
        <p>It will not run any more: none of its times is still to come.</p>
      ) : (
        <>
          <p>
            {form.values.enabled ? 'Next' : 'Once it is switched on'}, by the clocks of {agent.hostname}{' '}
            {agent.agent_id !== null && <span className={classes.dim}>({zone})</span>}
          </p>
          <ul className={classes.times}>
            {runs.map((run) => (
              <li key={run}>
                <Run zone={zone} runMs={run} isEverywhere={agent.agent_id === null} />
              </li>
            ))}
          </ul>
          {times.random_task_delay !== null && (
            <p className={classes.dim}>Each of them up to {times.random_task_delay} later.</p>
          )}
        </>
      )}
    </div>
  )
}

/** What the clock there shows, and the one here where that is another time. */
function Run({ zone, runMs, isEverywhere }: { zone: string; runMs: number; isEverywhere: boolean }) {
  const format = useDateFormat()
  const there = wallClockAt(zone, runMs)
  const isElsewhere = !isEverywhere && there !== wallClockAt(ownTimeZone(), runMs)
  return (
    <>
      <time dateTime={new Date(runMs).toISOString()}>
        {moment.utc(there).format('ddd, D MMM YYYY, HH:mm')}
      </time>
      {isElsewhere && <span className={classes.dim}> ({format(runMs)} here)</span>}
    </>
  )
}
