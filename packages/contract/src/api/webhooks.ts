import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id, IdParams, Instant, Nothing } from '../fields.ts'

export const WEBHOOK_EVENTS = [
  'alert.opened',
  'alert.acknowledged',
  'alert.resolved',
  'machine.online',
  'machine.offline',
  'machine.enrolled',
  'machine.removed',
  'run.finished',
  'job.finished',
] as const
export const WebhookEvent = z.enum(WEBHOOK_EVENTS)
export type WebhookEvent = z.infer<typeof WebhookEvent>

const isWebUrl = (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text)

export const WebhookForm = z.object({
  name: z.string().trim().min(1, 'Enter a name.').max(60, 'A name has at most 60 characters.'),
  url: z
    .string()
    .trim()
    .max(2000, 'A URL has at most 2,000 characters.')
    .refine(isWebUrl, 'Use an address that starts with http:// or https://.')
    .refine((text) => !/^https?:\/\/[^/?#]*@/i.test(text), 'Leave out the user name and the password.'),
  events: z
    .array(WebhookEvent)
    .min(1, 'Choose an event.')
    .max(WEBHOOK_EVENTS.length)
    .refine((events) => new Set(events).size === events.length, 'An event is chosen twice.'),
  /** Only events of this client; null = of all clients. */
  client: Id.nullable(),
  enabled: z.boolean(),
})
export type WebhookForm = z.infer<typeof WebhookForm>

export const Webhook = WebhookForm.extend({
  id: z.int(),
  client: z.int().nullable(),
  client_name: z.string().nullable(),
  /** Deliveries that have not arrived yet, and those that were given up. */
  waiting: z.int(),
  failed: z.int(),
  /** Events that were not stored because too many deliveries were waiting. */
  dropped: z.int(),
  last_delivered: Instant.nullable(),
  /** Since when every delivery has failed; null = the last one arrived. */
  failing_since: Instant.nullable(),
  created: Instant,
  modified: z.string(),
})
export type Webhook = z.infer<typeof Webhook>

const Secret = z.object({
  /** Signs the deliveries. It cannot be shown again. */
  secret: z.string(),
})

export const DeliveryState = z.enum(['waiting', 'delivered', 'failed'])
export type DeliveryState = z.infer<typeof DeliveryState>

export const WebhookDelivery = z.object({
  /** The same in each attempt. */
  id: z.uuid(),
  event: WebhookEvent,
  state: DeliveryState,
  /** Attempts since it was created or sent again. */
  attempts: z.int(),
  created: Instant,
  /** When it is sent next; null unless it waits. */
  due: Instant.nullable(),
  ended: Instant.nullable(),
  /** HTTP status of the last attempt; null = no response. */
  status: z.int().nullable(),
  /** The start of the last response, or why there is none. */
  answer: z.string(),
  body: z.string(),
})
export type WebhookDelivery = z.infer<typeof WebhookDelivery>

export const listWebhooks = endpoint({
  method: 'GET',
  path: '/core/webhooks/',
  access: 'can_edit_core_settings',
  summary: 'List webhooks by name',
  response: z.array(Webhook),
})

export const createWebhook = endpoint({
  method: 'POST',
  path: '/core/webhooks/',
  access: 'can_edit_core_settings',
  summary: 'Add a webhook. Its secret is returned only here',
  body: WebhookForm.partial({ client: true, enabled: true }),
  response: Webhook.extend(Secret.shape),
})

export const editWebhook = endpoint({
  method: 'PUT',
  path: '/core/webhooks/:id/',
  access: 'can_edit_core_settings',
  summary: 'Change a webhook. With `modified`, refused if another user has saved since',
  params: IdParams,
  body: WebhookForm.partial().extend({ modified: z.string().optional() }),
  volatile: ['waiting', 'failed', 'dropped', 'last_delivered', 'failing_since', 'client_name'],
  response: Webhook,
})

export const deleteWebhook = endpoint({
  method: 'DELETE',
  path: '/core/webhooks/:id/',
  access: 'can_edit_core_settings',
  summary: 'Delete a webhook with its deliveries',
  params: IdParams,
  response: Nothing,
})

export const renewWebhookSecret = endpoint({
  method: 'POST',
  path: '/core/webhooks/:id/secret/',
  access: 'can_edit_core_settings',
  summary: 'Replace the secret of a webhook. Deliveries are signed with the new one at once',
  params: IdParams,
  response: Secret,
})

export const testWebhook = endpoint({
  method: 'POST',
  path: '/core/webhooks/:id/test/',
  access: 'can_edit_core_settings',
  summary: 'Send a signed delivery with the event `test` now, once',
  params: IdParams,
  response: z.object({ ok: z.boolean(), answer: z.string(), took_ms: z.int() }),
})

export const listWebhookDeliveries = endpoint({
  method: 'GET',
  path: '/core/webhooks/:id/deliveries/',
  access: 'can_edit_core_settings',
  summary: 'List the newest 200 deliveries of a webhook, or those in one state',
  params: IdParams,
  query: z.object({ state: DeliveryState.optional() }),
  response: z.array(WebhookDelivery),
})

/** Without ids, all failed deliveries. */
const Deliveries = z.object({ deliveries: z.array(z.uuid()).min(1).max(500).optional() })

export const resendWebhookDeliveries = endpoint({
  method: 'POST',
  path: '/core/webhooks/:id/deliveries/resend/',
  access: 'can_edit_core_settings',
  summary: 'Send failed deliveries of a webhook again, with the same ids; without `deliveries`, all of them',
  params: IdParams,
  body: Deliveries,
  response: z.object({ changed: z.int() }),
})

export const discardWebhookDeliveries = endpoint({
  method: 'POST',
  path: '/core/webhooks/:id/deliveries/discard/',
  access: 'can_edit_core_settings',
  summary: 'Delete failed deliveries of a webhook; without `deliveries`, all of them',
  params: IdParams,
  body: Deliveries,
  response: z.object({ changed: z.int() }),
})
