import type { AlertEscalation } from '@muster/contract/api/alerts'
import { type AlertNotification, listAlertNotifications } from '@muster/contract/api/escalations'
import { useQuery } from '@tanstack/react-query'
import { query } from '../../app/api/api.ts'
import { Time } from '../../ui/layout/Time.tsx'
import { useNow } from '../../ui/layout/use-now.ts'
import classes from './AlertDialog.module.css'
import styles from './escalations/Escalations.module.css'

const TICK_MS = 10_000
const MINUTE_MS = 60_000

interface AlertNotificationsProps {
  id: number
  escalation: AlertEscalation | null
}

/** The recipients that were notified of an alert, and the next ones. */
export function AlertNotifications({ id, escalation }: AlertNotificationsProps) {
  const { data: notifications = [] } = useQuery(query(listAlertNotifications, { params: { id } }))
  if (notifications.length === 0 && escalation === null) return null
  return (
    <section aria-label="Notifications" className={classes.action}>
      <h3 className={classes.heading}>Notifications</h3>
      {escalation !== null && <Next escalation={escalation} />}
      <ul className="plain-list">
        {notifications.map((notification, index) => (
          // The server lists them in order and only adds at the end.
          // oxlint-disable-next-line react/no-array-index-key
          <Row key={index} notification={notification} />
        ))}
      </ul>
    </section>
  )
}

const STOPPED = { running: '', stopped: 'stopped', done: 'all steps done' } as const

/** `Next: Bob (Night) in 12 min, step 2 of Servers`. */
function Next({ escalation: { chain, state, next } }: { escalation: AlertEscalation }) {
  const nowMs = useNow(TICK_MS)
  if (next === null) {
    return (
      <p className={styles.next}>
        Escalation chain <bdi>{chain}</bdi>: {STOPPED[state]}
      </p>
    )
  }
  const minutes = Math.ceil((Date.parse(next.at) - nowMs) / MINUTE_MS)
  return (
    <p className={styles.next}>
      Next: <bdi className="strong">{next.recipients.join(', ')}</bdi>{' '}
      {minutes <= 0 ? 'now' : `in ${minutes} min`}
      <span className="dim">
        , step {next.step} of <bdi>{chain}</bdi>
      </span>
    </p>
  )
}

const REASONS = {
  opened: 'Opened',
  severity_changed: 'Severity changed',
  repeated: 'Reminder',
  escalated: 'Escalated',
  resolved: 'Resolved',
} as const

const STATES = { waiting: 'waiting', sent: 'sent', failed: 'failed', dropped: 'not sent' } as const

function Row({ notification }: { notification: AlertNotification }) {
  const { at, reason, step, recipient, schedule, channel, state, detail } = notification
  return (
    <li className={styles.notification}>
      <bdi className="strong">{recipient === '' ? channel || schedule : recipient}</bdi>
      {recipient !== '' && schedule !== '' && (
        <span className="dim">
          on call in <bdi>{schedule}</bdi>
        </span>
      )}
      {recipient !== '' && channel !== '' && (
        <span className="dim">
          by <bdi>{channel}</bdi>
        </span>
      )}
      <span className="dim">
        {REASONS[reason]}
        {step !== null && `, step ${step}`}
      </span>
      <span className={state === 'failed' ? styles.failed : undefined}>{STATES[state]}</span>
      {state !== 'sent' && detail !== '' && <bdi className="dim">{detail}</bdi>}
      <span className={classes.at}>
        <Time instant={at} />
      </span>
    </li>
  )
}
