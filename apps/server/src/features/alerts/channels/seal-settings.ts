import { type ChannelSettings, MASKED_SECRET, secretFields } from '@muster/contract/api/alert-channels'
import { AppError } from '@muster/contract/errors'
import type { Secrets } from '../../../platform/secrets/secrets.ts'

/** Returns the settings with every secret sealed, for storage. */
export function sealSettings(settings: ChannelSettings, secrets: Secrets): string {
  return JSON.stringify(mapSecrets(settings, (text) => (text === '' ? '' : secrets.encrypt(text))))
}

/** Returns the settings with their secrets, only for sending. */
export function openSettings(stored: string, secrets: Secrets): ChannelSettings {
  // Written by sealSettings.
  const settings = JSON.parse(stored) as ChannelSettings
  return mapSecrets(settings, (text) => (text === '' ? '' : secrets.decrypt(text)))
}

/** Returns the settings with masked secrets. The mask reveals only whether there is a secret, not its length. */
export function maskSettings(stored: string): ChannelSettings {
  // Written by sealSettings.
  const settings = JSON.parse(stored) as ChannelSettings
  return mapSecrets(settings, (text) => (text === '' ? '' : MASKED_SECRET))
}

/** All secrets of the settings, to remove them from responses of receivers. */
export function secretsOf(settings: ChannelSettings): string[] {
  const found: string[] = []
  mapSecrets(settings, (text) => {
    if (text !== '') found.push(text)
    return text
  })
  return found
}

/** Where secrets are sent. If one of these changes, stored secrets are not sent there. */
const DESTINATIONS = ['smtp_host', 'smtp_port', 'smtp_security', 'oauth2_token_url', 'url', 'api_url']

/**
 * Replaces masked secrets by the stored ones, but only while their destination is unchanged: otherwise anyone who may
 * edit a channel could send its password to their own server.
 */
export function keepSecrets(sent: ChannelSettings, before: ChannelSettings | undefined): ChannelSettings {
  const secrets = new Map(before?.kind === sent.kind ? secretEntries(before) : [])
  const hasMoved = before !== undefined && destinationOf(before) !== destinationOf(sent)
  return mapSecrets(sent, (text, path) => {
    if (text !== MASKED_SECRET) return text
    const kept = secrets.get(path)
    if (kept === undefined) return refuse(path, 'Enter a value. None is stored.')
    if (hasMoved) return refuse(path, 'Enter it again, because its destination has changed.')
    return kept
  })
}

function destinationOf(settings: ChannelSettings): string {
  const secret = secretFields[settings.kind]
  const values = new Map<string, unknown>(Object.entries(settings))
  const names = DESTINATIONS.filter((name) => values.has(name) && !secret.includes(name))
  return JSON.stringify(names.map((name) => [name, originOf(String(values.get(name)))]))
}

/** Only the origin of a URL counts. Another topic or path does not matter. */
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

/** Visits every secret. The path of a header value is its name. */
function mapSecrets(settings: ChannelSettings, change: Change): ChannelSettings {
  const secret = secretFields[settings.kind]
  const mapped = Object.entries(settings).map(([name, value]: [string, unknown]) => {
    if (!secret.includes(name)) return [name, value]
    return [
      name,
      Array.isArray(value) ? value.map((item) => mapHeader(item, change)) : change(String(value), name),
    ]
  })
  // The same fields with the same types: only texts changed.
  return Object.fromEntries(mapped) as ChannelSettings
}

function mapHeader(header: unknown, change: Change): unknown {
  // The only list with secrets is that of headers.
  const { name, value } = header as { name: string; value: string }
  return { name, value: change(value, `headers.${name.toLowerCase()}`) }
}
