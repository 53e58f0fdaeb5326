import type { AlertHold, AlertLogKind, AlertState, AlertType } from '@muster/contract/api/alerts'
import type { Severity } from '@muster/contract/fields'
import type { Generated } from 'kysely'

export interface AlertsTable {
  id: Generated<number>
  /** `availability:<agent_id>`, `site:<id>`, `check:<id>`, `task:<id>`, `custom:<key>`. */
  cause: string
  /** The cause while the alert is open, else NULL. A unique index refuses a second open alert of one cause. */
  open_cause: string | null
  alert_type: AlertType
  state: AlertState
  severity: Severity
  message: string
  agent_id: string | null
  check_id: number | null
  /** Set for alerts without a machine. A machine's alert belongs to the current site of the machine. */
  site_id: number | null
  alert_time: string
  snooze_until: string | null
  acknowledged_by: string
  acknowledged_on: string | null
  resolved_on: string | null
  resolved_by: string
  hold: AlertHold | null
  flapping: 0 | 1
  /** 0 = a template hides it from the bell. */
  in_bell: Generated<0 | 1>
  /** The worst severity that a notice was planned for. NULL = no notification yet. */
  told: Severity | null
  /**
   * When the sweep handles the alert again: a held alert is released when its check has run again (at once if it has no
   * check); an open alert without a notification is notified; an alert that a user resolved while its check failed is
   * raised again if the check still fails.
   */
  look_after: string | null
  created_at: string
  modified: string
}

export interface AlertLogTable {
  id: Generated<number>
  alert_id: number
  at: string
  kind: AlertLogKind
  /** Empty = the server. */
  by_user: string
  text: string
}

export interface AlertChannelsTable {
  id: Generated<number>
  name: string
  /** JSON of the contract's ChannelSettings. Secrets in it are sealed. */
  settings: string
  /** JSON of the contract's ChannelRules. */
  rules: string
  last_sent: string | null
  failing_since: string | null
  last_error: Generated<string>
  /** The process that currently sends on this channel. Only one does, so that notices leave in order. */
  sending_by: string | null
  /** When the lease ends unless it is renewed, so that a dead process blocks nothing. */
  sending_until: string | null
  created_at: string
  modified: string
}

/** A notification for one channel, sent by a job with the same id. */
export interface AlertNoticesTable {
  id: Generated<number>
  alert_id: number
  channel_id: number
  /** By an escalation chain: `escalated` goes to the recipients of the channel, `paged` to users. */
  kind: 'opened' | 'severity_changed' | 'repeated' | 'resolved' | 'escalated' | 'paged'
  /**
   * Number of earlier notices of this kind of the alert on this channel, or the turn of its escalation. It prevents
   * duplicate notices.
   */
  turn: number
  state: 'waiting' | 'sent' | 'failed' | 'dropped'
  /** Earliest time to send. Later than created_at in quiet hours and after a failure. */
  due_at: string
  created_at: string
  ended_at: string | null
  /** Number of failed attempts. */
  attempts: Generated<number>
  /** Id of the message, set just before sending until the outcome is known. */
  delivery: string | null
  /** 1 = it may have arrived, because no response came in time. */
  unsure: Generated<0 | 1>
  /** The response of the receiver, or why the notice was dropped. */
  answer: Generated<string>
}

/** A link in a notification that acknowledges its alert once, without signing in. */
export interface AlertLinksTable {
  /** hex sha256 of the token. */
  digest: string
  alert_id: number
  /** The alert is acknowledged in this name: an e-mail address, or a channel. */
  recipient: string
  /** IANA name, for times on its page. */
  time_zone: string
  expires_at: string
  used_at: string | null
}

export interface AlertTemplatesTable {
  id: Generated<number>
  name: string
  is_active: 0 | 1
  /** JSON of the contract's AlertTemplateForm without its name and exclusions; each secret in it is sealed. */
  settings: string
  /** JSON. */
  exclusions: string
  /** The user who set up its scripts. Keys of the store are read with this user's role. */
  author_id: Generated<number | null>
  created_at: string
  modified: string
}

/** Actions that run once because an alert opened or resolved. */
export interface AlertActionsTable {
  id: Generated<number>
  alert_id: number
  kind: 'failure' | 'resolved'
  /** Name at that time. */
  template_name: string
  /** Name of the script, or the URL. */
  name: string
  /** Sealed JSON of the action, as the template defined it then. Empty after it ended. */
  work: string
  state: 'waiting' | 'running' | 'done' | 'failed' | 'called_off'
  /** Number of failed attempts of a webhook. */
  attempts: Generated<number>
  /** The run of the script in the history of the machine. */
  history_id: number | null
  created_at: string
  ended_at: string | null
  retcode: number | null
  execution_time: number | null
  /** The beginning of the output or response, or the reason of the failure. */
  output: Generated<string>
}
