import type { AlertLogEntry, AlertLogKind } from '@muster/contract/api/alerts'
import {
  type Icon,
  IconBell,
  IconBellOff,
  IconBellPause,
  IconCircleCheck,
  IconCircleDot,
  IconCircleOff,
  IconCircleX,
  IconMailCheck,
  IconMailOff,
  IconMailX,
  IconNote,
  IconPlayerPlay,
  IconRepeat,
  IconTrendingUp,
  IconUserCheck,
} from '@tabler/icons-react'
import { Time } from '../../ui/layout/Time.tsx'
import classes from './AlertDialog.module.css'
import { LOG_LABELS } from './alert-words.ts'

const ICONS: Record<AlertLogKind, Icon> = {
  opened: IconCircleDot,
  severity_changed: IconTrendingUp,
  held: IconBellOff,
  released: IconBell,
  acknowledged: IconUserCheck,
  unacknowledged: IconBell,
  snoozed: IconBellPause,
  unsnoozed: IconBell,
  noted: IconNote,
  flapping: IconRepeat,
  resolved: IconCircleCheck,
  notice_sent: IconMailCheck,
  notice_held: IconMailOff,
  notice_failed: IconMailX,
  action_started: IconPlayerPlay,
  action_done: IconCircleCheck,
  action_failed: IconCircleX,
  action_called_off: IconCircleOff,
}
const TONES: Partial<Record<AlertLogKind, 'positive' | 'negative'>> = {
  resolved: 'positive',
  notice_failed: 'negative',
  action_done: 'positive',
  action_failed: 'negative',
}

/** Everything that happened to an alert, oldest first. */
export function AlertLog({ log }: { log: readonly AlertLogEntry[] }) {
  if (log.length === 0) return null
  return (
    <section aria-labelledby="alert-log">
      <h3 id="alert-log" className={classes.heading}>
        What happened
      </h3>
      <ol className={classes.log}>
        {log.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ol>
    </section>
  )
}

function Entry({ entry: { at, kind, by, text } }: { entry: AlertLogEntry }) {
  const EntryIcon = ICONS[kind]
  return (
    <li className={classes.entry} data-tone={TONES[kind]}>
      <EntryIcon size={16} stroke={1.75} aria-hidden className={classes.entryIcon} />
      <div className={classes.entryText}>
        <div className={classes.entryHead}>
          <span className={classes.kind}>{LOG_LABELS[kind]}</span>
          {by !== '' && <bdi>by {by}</bdi>}
          <span className={classes.at}>
            <Time instant={at} />
          </span>
        </div>
        {text !== '' && (
          <p className={classes.note} dir="auto">
            {text}
          </p>
        )}
      </div>
    </li>
  )
}
