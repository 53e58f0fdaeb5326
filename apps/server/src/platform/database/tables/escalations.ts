import type { Generated } from 'kysely'

export interface OnCallSchedulesTable {
  id: Generated<number>
  name: string
  /** JSON of the contract's OnCallForm without its name. */
  settings: string
  created_at: string
  modified: string
}

export interface EscalationChainsTable {
  id: Generated<number>
  name: string
  /** JSON of the contract's EscalationChainForm without its name. */
  settings: string
  created_at: string
  modified: string
}

/** How far the chain of an alert has come. */
export interface AlertEscalationsTable {
  alert_id: number
  chain_id: number
  /** `stopped`: acknowledged, snoozed, held or resolved. It starts again when the alert is open again. */
  state: 'running' | 'stopped' | 'done'
  /** The next run of the chain: see rules/alerts/escalation. */
  run: number
  /** Grows with each planned run, so that the job of an earlier plan does nothing. */
  turn: number
  next_at: string | null
}

/** A recipient that a chain has notified, or failed to. The outcome is that of the notice. */
export interface EscalationNotificationsTable {
  id: Generated<number>
  alert_id: number
  at: string
  /** Name at that time. */
  chain: string
  /** From 1. */
  step: number
  /** A user; empty = the recipients of the channel. */
  recipient: string
  /** The on-call schedule that named the user, or empty. */
  schedule: string
  /** E-mail address of the user, or empty. */
  address: string
  /** Empty = not sent. */
  channel: string
  /** Not a foreign key: the row stays when the channel is deleted with its notices. */
  notice_id: number | null
  /** Why nothing was sent, or empty. */
  problem: string
}
