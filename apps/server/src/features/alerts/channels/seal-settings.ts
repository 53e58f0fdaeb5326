import { type ChannelSettings, MASKED_SECRET, secretFields } from '@muster/contract/api/alert-channels'
import { AppError } from '@muster/contract/errors'
import type { Secrets } from '../../../platform/secrets/secrets.ts'

/** The settings as they are stored: every secret in them sealed. */
export function sealSettings(settings: ChannelSettings, secrets: Secrets): string {
  return JSON.stringify(mapSecrets(settings, (text) => (text === '' ? '' : secrets.encrypt(text))))
}

/** The settings with their secrets, for sending only. */
export function openSettings(stored: string, secrets: Secrets): ChannelSettings {
  // Written by sealSettings.
  const settings = JSON.parse(stored) as ChannelSettings
  return mapSecrets(settings, (text) => (text === '' ? '' : secrets.decrypt(text)))
}

/** The settings as people see them; it tells whether there is a secret, and not even how long it is. */
export function maskSettings(stored: string): ChannelSettings {
  // Written by sealSettings.
  const settings = JSON.parse(stored) as ChannelSettings
  return mapSecrets(settings, (text) => (text === '' ? '' : MASKED_SECRET))
}

/** Every secret of the settings, to be taken out of what the other side says. */
export function secretsOf(settings: ChannelSettings): string[] {
  const found: string[] = []
  mapSecrets(settings, (text) => {
    if (text !== '') found.push(text)
    return text
  })
  return found
}

/** Where secrets are sent to: when one of these changes, a secret that nobody typed anew does not go there. */
const DESTINATIONS = ['smtp_host', 'smtp_port', 'smtp_security', 'oauth2_token_url', 'url', 'api_url']

/**
 * The settings with the secrets that were sent back masked. They stay what they were as long as they go where they
 * went: who may edit a channel could otherwise have its password sent to a server of his own.
 */
export function keepSecrets(sent: ChannelSettings, before: ChannelSettings | undefined): ChannelSettings {
  const secrets = new Map(before?.kind === sent.kind ? secretEntries(before) : [])
  const hasMoved = before !== undefined && destinationOf(before) !== destinationOf(sent)
  return mapSecrets(sent, (text, path) => {
    if (text !== MASKED_SECRET) return text
    const kept = secrets.get(path)
    if (kept === undefined) return refuse(path, 'Enter it: there is none to keep.')
    if (hasMoved) return refuse(path, 'Enter it again: the address that it goes to has changed.')
    return kept
  })
}

function destinationOf(settings: ChannelSettings): string {
  const secret = secretFields[settings.kind]
  const values = new Map<string, unknown>(Object.entries(settings))
  const names = DESTINATIONS.filter((name) => values.has(name) && !secret.includes(name))
  return JSON.stringify(names.map((name) => [name, originOf(String(values.get(name)))]))
}

/** Of an address only whom it belongs to: another topic or path does not matter. */
function originOf(value: string): string {
  return URL.canParse(value) && /^https?:/i.test(value) ? new URL(value).origin : value
}

function refuse(path: string, sentence: string): never {
  const field = `settings.${path.startsWith('headers.') ? 'headers' : path}`
  throw new AppError('invalid', `"${field}" is not valid: ${sentence}`, { fields: { [field]: [sentence] } })
}

function secretEntries(settings: ChannelSettings): [string, string][] {
  const entries: [string, string][] = []
  mapSecrets(settings, (text, path) => {
    if (text !== '') entries.push([path, text])
    return text
  })
  return entries
}

type Change = (text: string, path: string) => string

/** Runs over every secret; the path of a header's value is its name. */
function mapSecrets(settings: ChannelSettings, change: Change): ChannelSettings {
  const secret = secretFields[settings.kind]
  const mapped = Object.entries(settings).map(([name, value]: [string, unknown]) => {
    if (!secret.includes(name)) return [name, value]
    return [
      name,
      Array.isArray(value) ? value.map((item) => mapHeader(item, change)) : change(String(value), name),
    ]
  })
  // The same fields with the same types: only texts have changed.
  return Object.fromEntries(mapped) as ChannelSettings
}

function mapHeader(header: unknown, change: Change): unknown {
  // The only secret list is that of headers.
  const { name, value } = header as { name: string; value: string }
  return { name, value: change(value, `headers.${name.toLowerCase()}`) }
}
