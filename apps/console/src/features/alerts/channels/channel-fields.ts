import type { ChannelKind } from '@muster/contract/api/alert-channels'

export const KIND_LABELS: Record<ChannelKind, string> = {
  email: 'E-mail',
  webhook: 'Webhook',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  discord: 'Discord',
  telegram: 'Telegram',
  ntfy: 'ntfy',
  pagerduty: 'PagerDuty',
  sms: 'SMS (Twilio)',
  push: 'Push notifications',
}
/** In menu order. */
export const KINDS = [
  'email',
  'sms',
  'push',
  'slack',
  'teams',
  'discord',
  'telegram',
  'ntfy',
  'pagerduty',
  'webhook',
] as const satisfies readonly ChannelKind[]

interface FieldBase {
  name: string
  label: string
  description?: string
  placeholder?: string
  /** Shown only where another field has one of these values. */
  when?: { field: string; is: readonly string[] }
}
export type ChannelField =
  | (FieldBase & { input: 'text' | 'machine-text' | 'number' | 'headers' | 'template' })
  | (FieldBase & { input: 'secret'; optional?: true })
  | (FieldBase & { input: 'list'; noun: string })
  | (FieldBase & { input: 'choice'; choices: readonly { value: string; label: string }[] })

const WITH_PASSWORD = { field: 'smtp_auth', is: ['password'] }
const WITH_SIGN_IN = { field: 'smtp_auth', is: ['password', 'oauth2'] }
const WITH_OAUTH2 = { field: 'smtp_auth', is: ['oauth2'] }

/** The form fields of each kind; the contract validates them. */
export const KIND_FIELDS: Record<ChannelKind, readonly ChannelField[]> = {
  email: [
    {
      name: 'recipients',
      label: 'Recipients',
      input: 'list',
      noun: 'recipient',
      placeholder: 'ada@example.com',
    },
    { name: 'smtp_from_email', label: 'From', input: 'machine-text', placeholder: 'muster@example.com' },
    { name: 'smtp_from_name', label: 'Name of the sender', input: 'text' },
    { name: 'smtp_host', label: 'Mail server', input: 'machine-text', placeholder: 'mail.example.com' },
    { name: 'smtp_port', label: 'Port', input: 'number', description: 'Usually 587, or 465 with TLS.' },
    {
      name: 'smtp_security',
      label: 'Encryption',
      input: 'choice',
      choices: [
        { value: 'starttls', label: 'STARTTLS' },
        { value: 'tls', label: 'TLS from the start' },
        { value: 'none', label: 'None' },
      ],
    },
    {
      name: 'smtp_auth',
      label: 'Sign-in',
      input: 'choice',
      choices: [
        { value: 'password', label: 'User and password' },
        { value: 'oauth2', label: 'OAuth 2' },
        { value: 'none', label: 'None' },
      ],
    },
    { name: 'smtp_host_user', label: 'User', input: 'machine-text', when: WITH_SIGN_IN },
    { name: 'smtp_host_password', label: 'Password', input: 'secret', optional: true, when: WITH_PASSWORD },
    {
      name: 'oauth2_token_url',
      label: 'Token address',
      input: 'machine-text',
      placeholder: 'https://login.example.com/oauth2/token',
      when: WITH_OAUTH2,
    },
    { name: 'oauth2_client_id', label: 'Client id', input: 'machine-text', when: WITH_OAUTH2 },
    {
      name: 'oauth2_client_secret',
      label: 'Client secret',
      input: 'secret',
      optional: true,
      when: WITH_OAUTH2,
    },
    {
      name: 'oauth2_refresh_token',
      label: 'Refresh token',
      input: 'secret',
      optional: true,
      when: WITH_OAUTH2,
    },
  ],
  webhook: [
    { name: 'url', label: 'Address', input: 'machine-text', placeholder: 'https://example.com/alerts' },
    {
      name: 'method',
      label: 'Method',
      input: 'choice',
      choices: [
        { value: 'POST', label: 'POST' },
        { value: 'PUT', label: 'PUT' },
      ],
    },
    { name: 'headers', label: 'Headers', input: 'headers' },
    {
      name: 'secret',
      label: 'Signing secret',
      input: 'secret',
      optional: true,
      description: 'Signs each request in the header Muster-Signature.',
    },
    {
      name: 'body_template',
      label: 'Body',
      input: 'template',
      description: 'JSON with variables like {{alert.message}}. Empty = the alert as JSON.',
    },
  ],
  slack: [webhookUrl('https://hooks.slack.com/services/…')],
  teams: [webhookUrl('https://example.webhook.office.com/…')],
  discord: [webhookUrl('https://discord.com/api/webhooks/…')],
  telegram: [
    { name: 'bot_token', label: 'Bot token', input: 'secret' },
    { name: 'chat_id', label: 'Chat', input: 'machine-text', placeholder: '-1001234567890' },
    { name: 'api_url', label: 'Service address', input: 'machine-text' },
  ],
  ntfy: [
    { name: 'url', label: 'Topic', input: 'machine-text', placeholder: 'https://ntfy.sh/my-alerts' },
    { name: 'token', label: 'Access token', input: 'secret', optional: true },
  ],
  pagerduty: [
    { name: 'routing_key', label: 'Integration key', input: 'secret' },
    { name: 'url', label: 'Service address', input: 'machine-text' },
  ],
  sms: [
    { name: 'recipients', label: 'Numbers', input: 'list', noun: 'number', placeholder: '+41791234567' },
    { name: 'twilio_number', label: 'From', input: 'machine-text', placeholder: '+41445556677' },
    { name: 'twilio_account_sid', label: 'Account SID', input: 'machine-text' },
    { name: 'twilio_auth_token', label: 'Auth token', input: 'secret' },
    { name: 'api_url', label: 'Service address', input: 'machine-text' },
  ],
  push: [],
}

function webhookUrl(placeholder: string): ChannelField {
  return {
    name: 'url',
    label: 'Incoming webhook address',
    description: 'Anyone with this address can post. Stored like a password.',
    placeholder,
    input: 'secret',
  }
}
