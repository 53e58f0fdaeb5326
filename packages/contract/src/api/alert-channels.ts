import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Email, Id, IdParams, Instant, Nothing, Severity } from '../fields.ts'
import { AlertType } from './alerts.ts'

const MASKED = '********'
/** Shown in place of a secret; sent back, it means "unchanged". */
export const MASKED_SECRET = MASKED
const Secret = z.string().max(2000)
const WEB_URL_NEEDED = 'Use an address that starts with http:// or https://.'
const isWebUrl = (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text)
const WebUrl = z.string().trim().max(2000).refine(isWebUrl, WEB_URL_NEEDED)
/** A webhook URL, which is a secret: it is stored and masked like a password. */
const SecretUrl = z
  .string()
  .trim()
  .max(2000)
  .refine((text) => text === MASKED || isWebUrl(text), WEB_URL_NEEDED)
/** Characters that are valid in an HTTP header. */
const HeaderValue = Secret.regex(/^[\t -~]*$/, 'Letters, digits and signs of ASCII, on one line.')

/** Settings of each kind. Fields named in `secretFields` are encrypted at rest and shown as `********`. */
export const channelFields = {
  email: z.object({
    smtp_host: z.string().trim().min(1, 'The mail server is needed.').max(255),
    smtp_port: z.int().min(1).max(65_535).default(587),
    smtp_security: z.enum(['starttls', 'tls', 'none']).default('starttls'),
    smtp_auth: z.enum(['none', 'password', 'oauth2']).default('password'),
    smtp_host_user: z.string().max(255).default(''),
    smtp_host_password: Secret.default(''),
    /** For OAuth2: refreshed at this address with the client's id and secret. */
    oauth2_token_url: z.union([z.literal(''), WebUrl]).default(''),
    oauth2_client_id: z.string().max(500).default(''),
    oauth2_client_secret: Secret.default(''),
    oauth2_refresh_token: Secret.default(''),
    smtp_from_email: Email,
    smtp_from_name: z.string().max(255).default('Muster'),
    recipients: z.array(Email).min(1, 'A recipient is needed.').max(50),
  }),
  webhook: z.object({
    url: WebUrl,
    method: z.enum(['POST', 'PUT']).default('POST'),
    headers: z
      .array(
        z.object({
          name: z.string().regex(/^[A-Za-z0-9-]{1,100}$/, 'Letters, digits and dashes.'),
          value: HeaderValue,
        }),
      )
      .max(20)
      .default([]),
    /** Signs the body: `Muster-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`. */
    secret: Secret.default(''),
    /** JSON with placeholders such as `{{alert.message}}`; empty = the alert as JSON. */
    body_template: z.string().max(20_000).default(''),
  }),
  slack: z.object({ url: SecretUrl }),
  teams: z.object({ url: SecretUrl }),
  discord: z.object({ url: SecretUrl }),
  telegram: z.object({
    bot_token: Secret.min(1),
    chat_id: z.string().trim().min(1).max(100),
    api_url: WebUrl.default('https://api.telegram.org'),
  }),
  /** The address with the topic: https://ntfy.sh/alerts. */
  ntfy: z.object({ url: WebUrl, token: HeaderValue.default('') }),
  pagerduty: z.object({
    routing_key: Secret.min(1),
    url: WebUrl.default('https://events.pagerduty.com/v2/enqueue'),
  }),
  sms: z.object({
    twilio_account_sid: z.string().trim().min(1).max(100),
    twilio_auth_token: Secret.min(1),
    twilio_number: z.string().regex(/^\+[1-9]\d{5,14}$/, 'A number as +41791234567.'),
    recipients: z
      .array(z.string().regex(/^\+[1-9]\d{5,14}$/, 'A number as +41791234567.'))
      .min(1)
      .max(50),
    api_url: WebUrl.default('https://api.twilio.com'),
  }),
  /** Browsers in which users have turned notifications on. */
  push: z.object({}),
} as const

export const secretFields: { readonly [K in keyof typeof channelFields]: readonly string[] } = {
  email: ['smtp_host_password', 'oauth2_client_secret', 'oauth2_refresh_token'],
  webhook: ['secret', 'headers'],
  slack: ['url'],
  teams: ['url'],
  discord: ['url'],
  telegram: ['bot_token'],
  ntfy: ['token'],
  pagerduty: ['routing_key'],
  sms: ['twilio_auth_token'],
  push: [],
}

const email = channelFields.email.extend({ kind: z.literal('email') })
const otherKinds = [
  channelFields.webhook.extend({ kind: z.literal('webhook') }),
  channelFields.slack.extend({ kind: z.literal('slack') }),
  channelFields.teams.extend({ kind: z.literal('teams') }),
  channelFields.discord.extend({ kind: z.literal('discord') }),
  channelFields.telegram.extend({ kind: z.literal('telegram') }),
  channelFields.ntfy.extend({ kind: z.literal('ntfy') }),
  channelFields.pagerduty.extend({ kind: z.literal('pagerduty') }),
  channelFields.sms.extend({ kind: z.literal('sms') }),
  channelFields.push.extend({ kind: z.literal('push') }),
] as const
export const ChannelSettings = z.discriminatedUnion('kind', [email, ...otherKinds])
/** Addresses saved before this rule existed stay readable. */
const StoredChannelSettings = z.discriminatedUnion('kind', [
  email.extend({ smtp_from_email: z.string(), recipients: z.array(z.string()) }),
  ...otherKinds,
])
export type ChannelSettings = z.infer<typeof ChannelSettings>
export type ChannelKind = ChannelSettings['kind']

const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'A time as 22:00.')

/** Which alerts a channel sends, and when. */
export const ChannelRules = z.object({
  enabled: z.boolean().default(true),
  severities: z.array(Severity).min(1, 'At least one severity.').default(['error', 'warning']),
  alert_types: z
    .array(AlertType)
    .min(1, 'At least one type.')
    .default(['availability', 'check', 'task', 'custom']),
  /** Empty = of every client, and alerts without a client. */
  clients: z.array(Id).max(1000).default([]),
  on_resolved: z.boolean().default(true),
  /** Repeated after this many minutes while the alert is open and neither acknowledged nor snoozed; 0 = never. */
  repeat_minutes: z.int().min(0).max(525_600).default(0),
  /** No notifications in between; waiting ones are sent at the end, in one message. Both empty = no quiet hours. */
  quiet_from: z.union([z.literal(''), TimeOfDay]).default(''),
  quiet_to: z.union([z.literal(''), TimeOfDay]).default(''),
  /** IANA name, for the quiet hours. */
  time_zone: z.string().max(64).default('UTC'),
  /** Severities that are sent during quiet hours too. */
  quiet_except: z.array(Severity).default(['error']),
})
export type ChannelRules = z.infer<typeof ChannelRules>

/** Result of the last message. */
export const ChannelHealth = z.object({
  last_sent: Instant.nullable(),
  /** Time of the first failure; null = no failure, or nothing was sent. */
  failing_since: Instant.nullable(),
  last_error: z.string(),
  /** Number of waiting messages. */
  waiting: z.int(),
})

export const AlertChannel = z.object({
  id: z.int(),
  name: z.string(),
  settings: StoredChannelSettings,
  rules: ChannelRules,
  health: ChannelHealth,
  modified: z.string(),
})
export type AlertChannel = z.infer<typeof AlertChannel>

const body = {
  name: z.string().trim().min(1, 'A name is needed.').max(255),
  settings: ChannelSettings,
  rules: ChannelRules,
}

export const listAlertChannels = endpoint({
  method: 'GET',
  path: '/alerts/channels/',
  access: 'can_view_core_settings',
  summary: 'List notification channels and their state',
  response: z.array(AlertChannel),
})

export const createAlertChannel = endpoint({
  method: 'POST',
  path: '/alerts/channels/',
  access: 'can_edit_core_settings',
  summary: 'Add a channel',
  body: z.object(body),
  response: AlertChannel,
})

export const editAlertChannel = endpoint({
  method: 'PUT',
  path: '/alerts/channels/:id/',
  access: 'can_edit_core_settings',
  summary:
    'Change a channel; secrets sent as ******** are unchanged. With `modified`, refused if another user has saved since',
  params: IdParams,
  body: z.object({ ...body, modified: z.string().optional() }),
  volatile: ['health'],
  response: AlertChannel,
})

export const deleteAlertChannel = endpoint({
  method: 'DELETE',
  path: '/alerts/channels/:id/',
  access: 'can_edit_core_settings',
  summary: 'Delete a channel; waiting messages are dropped',
  params: IdParams,
  response: Nothing,
})

export const testAlertChannel = endpoint({
  method: 'POST',
  path: '/alerts/channels/test/',
  access: 'can_edit_core_settings',
  summary: 'Send a test message with these settings and return the response of the service',
  /** With `id`, secrets sent as ******** are those of that channel. */
  body: z.object({ id: Id.optional(), settings: ChannelSettings }),
  response: z.object({
    ok: z.boolean(),
    /**
     * The response of the service: an SMTP reply, an HTTP status with the start of its body, or why it was not
     * reached.
     */
    answer: z.string(),
    took_ms: z.int(),
  }),
})
