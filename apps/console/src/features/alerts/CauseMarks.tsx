import type { AlertCause } from '@muster/contract/api/alerts'
import { formatRelativeTime } from '@muster/rules/text/units'
import {
  IconAlertTriangle,
  IconAlertTriangleFilled,
  IconBellRinging,
  IconCheck,
  IconInfoCircle,
  IconSquareRotatedFilled,
  IconZzz,
} from '@tabler/icons-react'
import { useDateFormat } from '../../ui/layout/date-format.ts'
import classes from './CauseMarks.module.css'

const SEVERITIES = {
  error: { Icon: IconAlertTriangleFilled, label: 'Error', tone: 'negative' },
  warning: { Icon: IconAlertTriangle, label: 'Warning', tone: 'warning' },
  info: { Icon: IconInfoCircle, label: 'Information', tone: 'info' },
} as const

/** The severity of a cause, as a shape. */
export function CauseMark({ cause: { kind, severity } }: { cause: Pick<AlertCause, 'kind' | 'severity'> }) {
  const { Icon, label, tone } = SEVERITIES[severity]
  const isDown = kind === 'overdue' || kind === 'site_down'
  const Shape = isDown ? IconSquareRotatedFilled : Icon
  return (
    <span data-tone={tone} className={classes.mark}>
      <Shape size={16} stroke={1.75} aria-hidden className="tone-icon" />
      <span className="read-only-aloud">{label}</span>
    </span>
  )
}

/** The machine, or the clients with the most machines: `Acme 4, Borealis 2`. */
export function describeClients({ hostname, clients, more_clients: more }: AlertCause): string {
  const [only] = clients
  if (only === undefined) return ''
  if (hostname !== '') return `${only.name}, ${hostname}`
  if (clients.length === 1) return only.name
  const named = clients.map(({ name, alerts }) => `${name} ${alerts}`).join(', ')
  return more === 0 ? named : `${named} and ${more} more`
}

/** Acknowledged, snoozed, or the time of the next notification. */
export function CauseNotice({ cause, nowMs }: { cause: AlertCause; nowMs: number }) {
  const format = useDateFormat()
  const {
    alerts,
    acknowledged,
    acknowledged_by: user,
    snoozed,
    snooze_until: until,
    next_notice: next,
  } = cause
  if (acknowledged + snoozed >= alerts && acknowledged > 0) {
    return (
      <span className={`${classes.notice} dim`}>
        <IconCheck size={16} stroke={1.75} aria-hidden className={classes.done} />
        {user === '' ? 'Acknowledged' : <bdi>{`Acknowledged by ${user}`}</bdi>}
      </span>
    )
  }
  if (snoozed >= alerts && until !== null) {
    return (
      <span className={`${classes.notice} dim`}>
        <IconZzz size={16} stroke={1.75} aria-hidden />
        Snoozed until {format(until)}
      </span>
    )
  }
  if (next !== null) return <NextNotice at={next} nowMs={nowMs} />
  return (
    <span className="dim">
      {acknowledged > 0 ? `${acknowledged} of ${alerts} acknowledged` : 'Not acknowledged'}
    </span>
  )
}

/** When the next planned notification is sent. */
export function NextNotice({ at, nowMs }: { at: string; nowMs: number }) {
  return (
    <span className={classes.notice}>
      <IconBellRinging size={16} stroke={1.75} aria-hidden className={classes.ringing} />
      Next notification {Date.parse(at) > nowMs ? formatRelativeTime(at, nowMs) : 'now'}
    </span>
  )
}
