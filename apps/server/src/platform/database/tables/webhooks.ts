import type { DeliveryState, WebhookEvent } from '@muster/contract/api/webhooks'
import type { Generated } from 'kysely'

export interface WebhooksTable {
  id: Generated<number>
  name: string
  url: string
  /** JSON list of WebhookEvent. */
  events: string
  /** NULL = the events of all clients. */
  client_id: number | null
  enabled: Generated<0 | 1>
  /** Encrypted. */
  secret: string
  dropped: Generated<number>
  last_delivered: string | null
  failing_since: string | null
  /** The process that currently sends. Only one does, so that deliveries leave in order. */
  sending_by: string | null
  /** When the lease ends. It outlasts a receiver that did not respond by a minute. */
  sending_until: string | null
  created_at: string
  modified: string
}

export interface WebhookDeliveriesTable {
  id: string
  webhook_id: number
  event: WebhookEvent
  /** The occurrence, such as `run.finished:17`. Unique within a webhook. */
  source: string
  /** The exact text that is signed and sent. */
  body: string
  state: DeliveryState
  attempts: Generated<number>
  due_at: string
  created_at: string
  ended_at: string | null
  status: number | null
  answer: Generated<string>
}

/** Machines that `machine.offline` was published for. */
export interface WebhookOfflineTable {
  agent_id: string
  since: string
}
