import {
  type AlertChannel,
  channelFields,
  type ChannelKind,
  ChannelRules,
  ChannelSettings,
  listAlertChannels,
} from '@muster/contract/api/alert-channels'
import type { z } from 'zod'
import { query } from '../../../app/api/api.ts'
import { KIND_FIELDS } from './channel-fields.ts'

export interface HeaderLine {
  name: string
  value: string
}
export type FieldValue =
  | string
  | number
  | boolean
  | readonly string[]
  | readonly number[]
  | readonly HeaderLine[]
/** Name, settings and rules in one object, by form field. */
export type ChannelForm = Record<string, FieldValue>

const STARTS: Record<ChannelKind, ChannelForm> = {
  email: {
    smtp_host: '',
    smtp_port: 587,
    smtp_security: 'starttls',
    smtp_auth: 'password',
    smtp_host_user: '',
    smtp_host_password: '',
    oauth2_token_url: '',
    oauth2_client_id: '',
    oauth2_client_secret: '',
    oauth2_refresh_token: '',
    smtp_from_email: '',
    smtp_from_name: 'Muster',
    recipients: [''],
  },
  webhook: { url: '', method: 'POST', headers: [], secret: '', body_template: '' },
  slack: { url: '' },
  teams: { url: '' },
  discord: { url: '' },
  telegram: { bot_token: '', chat_id: '', api_url: 'https://api.telegram.org' },
  ntfy: { url: '', token: '' },
  pagerduty: { routing_key: '', url: 'https://events.pagerduty.com/v2/enqueue' },
  sms: {
    twilio_account_sid: '',
    twilio_auth_token: '',
    twilio_number: '',
    recipients: [''],
    api_url: 'https://api.twilio.com',
  },
  push: {},
}

export function newChannelForm(kind: ChannelKind, timeZone: string): ChannelForm {
  return { name: '', ...STARTS[kind], ...ChannelRules.parse({ time_zone: timeZone }) }
}

export function readChannelForm({ name, settings, rules }: AlertChannel): ChannelForm {
  const { kind: _kind, ...own } = settings
  return { name, ...own, ...rules }
}

/** The values of visible fields: settings by the contract, and rules. */
export function toSettings(kind: ChannelKind, form: ChannelForm): z.input<typeof ChannelSettings> {
  const own = Object.fromEntries(
    Object.keys(STARTS[kind]).map((name) => [name, name === 'recipients' ? filled(form[name]) : form[name]]),
  )
  // STARTS names each kind's fields; the contract validates them before they are sent.
  return { kind, ...own } as z.input<typeof ChannelSettings>
}

export function toRules(form: ChannelForm): z.input<typeof ChannelRules> {
  // As above: validated by the contract.
  return Object.fromEntries(Object.keys(ChannelRules.shape).map((name) => [name, form[name]])) as z.input<
    typeof ChannelRules
  >
}

/** One error for each invalid field. */
export function checkChannelForm(kind: ChannelKind, form: ChannelForm): Record<string, string> {
  const quiet = [form.quiet_from, form.quiet_to]
  return {
    ...(`${form.name as string}`.trim() === '' ? { name: 'A name is needed.' } : {}),
    ...checkSettings(kind, form),
    ...(quiet.filter((time) => time === '').length === 1
      ? { quiet_to: 'Quiet hours need a start and an end.' }
      : {}),
    ...sentences(ChannelRules.safeParse(toRules(form)).error, form),
  }
}

export function checkSettings(kind: ChannelKind, form: ChannelForm): Record<string, string> {
  return sentences(ChannelSettings.safeParse(toSettings(kind, form)).error, form)
}

/** The error of one recipient, or null; an empty line is none. */
export function checkRecipient(kind: 'email' | 'sms', line: string): string | null {
  const { element } = channelFields[kind].shape.recipients
  return line === '' ? null : (element.safeParse(line).error?.issues[0]?.message ?? null)
}

function sentences(error: z.ZodError | undefined, form: ChannelForm): Record<string, string> {
  const found = (error?.issues ?? []).map(({ path: [field, ...inside], message, code }): [string, string] => {
    const name = `${String(field)}`
    const value = form[name]
    if (
      value === '' ||
      (Array.isArray(value) && filled(value).length === 0 && inside.length === 0 && name === 'recipients')
    )
      return [name, 'Enter a value.']
    if (code === 'invalid_type') return [name, 'Enter a number.']
    // An optional address is a union, which has no error text of its own.
    return [name, code === 'invalid_union' ? 'Use an address that starts with http:// or https://.' : message]
  })
  // The first error of a field counts.
  return Object.fromEntries(found.toReversed())
}

/** Lists without their empty lines. */
function filled(value: FieldValue | undefined): readonly unknown[] {
  return Array.isArray(value) ? value.filter((line) => line !== '') : []
}

/** The fields of a kind that are visible for the form's values. */
export const shownFields = (kind: ChannelKind, form: ChannelForm) =>
  KIND_FIELDS[kind].filter(
    ({ when }) => when === undefined || when.is.includes(`${form[when.field] as string}`),
  )

export const channelsQuery = query(listAlertChannels, {})
