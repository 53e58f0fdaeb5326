import type { AlertHold, AlertLogKind, AlertState, AlertType } from '@muster/contract/api/alerts'
import type { Severity } from '@muster/contract/fields'
import type { Generated } from 'kysely'

export interface AlertsTable {
  id: Generated<number>
  /** What is wrong: `availability:<agent_id>`, `site:<id>`, `check:<id>`, `task:<id>`, `custom:<key>`. */
  cause: string
  /** The cause while it is not over, else null: the database refuses a second open alert of one cause. */
  open_cause: string | null
  alert_type: AlertType
  state: AlertState
  severity: Severity
  message: string
  agent_id: string | null
  check_id: number | null
  /** Of what has no machine; that of a machine's alert is where the machine is now. */
  site_id: number | null
  alert_time: string
  snooze_until: string | null
  acknowledged_by: string
  acknowledged_on: string | null
  resolved_on: string | null
  resolved_by: string
  hold: AlertHold | null
  flapping: 0 | 1
  /** No template keeps it out of the bell. */
  in_bell: Generated<0 | 1>
  /** The worst severity that a notice was planned for; null while nobody has been told. */
  told: Severity | null
  /**
   * What is to be done from then on: of a held alert, released when the check has run again (or at once, where no
   * check is behind it); of an open one that nobody was told of, told; of one that a person resolved while its check
   * failed, raised again when the check fails again.
   */
  look_after: string | null
  /** When it was stored. */
  created_at: string
  modified: string
}

export interface AlertLogTable {
  id: Generated<number>
  alert_id: number
  at: string
  kind: AlertLogKind
  /** Empty = by the server. */
  by_user: string
  text: string
}

export interface AlertChannelsTable {
  id: Generated<number>
  name: string
  /** JSON of the contract's ChannelSettings; each secret in it is sealed. */
  settings: string
  /** JSON of the contract's ChannelRules. */
  rules: string
  last_sent: string | null
  failing_since: string | null
  last_error: Generated<string>
  /** The process that sends on this channel right now: one at a time, so that what happened first is told first. */
  sending_by: string | null
  /** Until then, unless it says so again: a process that died is not waited for any longer. */
  sending_until: string | null
  created_at: string
  modified: string
}

/** Something to be told on one channel; sent by a job of the same id. */
export interface AlertNoticesTable {
  id: Generated<number>
  alert_id: number
  channel_id: number
  kind: 'opened' | 'severity_changed' | 'repeated' | 'resolved'
  /** How many notices of this kind the alert had on this channel before: with it no notice is planned twice. */
  turn: number
  state: 'waiting' | 'sent' | 'failed' | 'dropped'
  /** Not before; later than created_at in quiet hours, and after a failure. */
  due_at: string
  created_at: string
  ended_at: string | null
  /** How often it was sent without success. */
  attempts: Generated<number>
  /** Id of the message that it leaves with, from just before it is sent until it is known how that went. */
  delivery: string | null
  /** It may have arrived, as nothing was heard in time after it was sent. */
  unsure: Generated<0 | 1>
  /** What the other side said, or why it was dropped. */
  answer: Generated<string>
}
