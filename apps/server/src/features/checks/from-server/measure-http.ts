import { type IncomingMessage, request } from 'node:http'
import { isIP } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { MAX_BODY_BYTES } from '@muster/contract/checks/server-checks'
import {
  CertificateError,
  connectSecurely,
  connectTarget,
  daysLeft,
} from '../../../platform/outbound/connect-target.ts'
import { describeOutbound, OutboundError } from '../../../platform/outbound/outbound-error.ts'
import type { MeasuredOf, Reach, SettingsOf } from './server-kind.ts'

const MAX_REDIRECTS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])

type Settings = SettingsOf<'http'>
type Answer = Pick<MeasuredOf<'http'>, 'cert_days'> & { message: IncomingMessage }

export async function measureHttp(settings: Settings, reach: Reach): Promise<MeasuredOf<'http'>> {
  const nothing = {
    status: null,
    ms: null,
    has_present: null,
    has_absent: null,
    is_cut: false,
    cert_days: null,
  }
  const started = performance.now()
  try {
    const { message, cert_days } = await ask(settings, reach)
    const { text, isCut } = await readBody(message)
    const has = (part: string | null) => (part === null ? null : text.includes(part))
    return {
      check_type: 'http',
      reason: '',
      status: message.statusCode ?? 0,
      ms: performance.now() - started,
      has_present: has(settings.text_present),
      has_absent: has(settings.text_absent),
      is_cut: isCut,
      cert_days,
    }
  } catch (error) {
    const cert_days = error instanceof CertificateError ? error.certDays : null
    return { check_type: 'http', ...nothing, cert_days, reason: describeOutbound(error) }
  }
}

/** Every redirect target is checked like the first address. */
async function ask(settings: Settings, reach: Reach): Promise<Answer> {
  let url = new URL(settings.url)
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const answer = await askOnce(url, settings, reach)
    const { statusCode = 0, headers } = answer.message
    if (!settings.follow_redirects || !REDIRECTS.has(statusCode) || headers.location === undefined)
      return answer
    answer.message.destroy()
    url = nextUrl(headers.location, url)
  }
  throw new OutboundError(`More than ${MAX_REDIRECTS} redirects.`)
}

function nextUrl(location: string, from: URL): URL {
  const next = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined
  if (next === undefined || !['http:', 'https:'].includes(next.protocol))
    throw new OutboundError(`It redirects to ${location.slice(0, 200)}, which is not a web address.`)
  return next
}

async function askOnce(url: URL, settings: Settings, { targets, signal }: Reach): Promise<Answer> {
  const isSecure = url.protocol === 'https:'
  const bare = url.hostname.replace(/^\[|\]$/g, '')
  const host = isIP(bare) === 0 ? bare.replace(/\.$/, '') : bare
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port)
  const target = { host, port, targets, signal }
  const socket = isSecure
    ? await connectSecurely({ ...target, ignoreCertificate: settings.ignore_certificate })
    : await connectTarget(target)
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  socket.once('error', reject)
  request({
    createConnection: () => socket,
    method: settings.method,
    path: `${url.pathname}${url.search}`,
    headers: {
      host: url.host,
      'user-agent': 'Muster',
      accept: '*/*',
      // Compressed bodies could not be searched.
      'accept-encoding': 'identity',
      connection: 'close',
    },
  })
    .on('response', resolve)
    .on('error', reject)
    .end()
  const message = await promise
  // Created by connectSecurely.
  return { message, cert_days: isSecure ? daysLeft(socket as TLSSocket) : null }
}

async function readBody(message: IncomingMessage): Promise<{ text: string; isCut: boolean }> {
  const chunks: Buffer[] = []
  let size = 0
  // Node's sockets yield buffers.
  for await (const chunk of message as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_BODY_BYTES) break
  }
  message.destroy()
  const bytes = Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES)
  return { text: decoderOf(message).decode(bytes), isCut: size > MAX_BODY_BYTES }
}

function decoderOf({ headers }: IncomingMessage): { decode: (bytes: Buffer) => string } {
  const [, label = 'utf-8'] = /charset="?([\w.:-]{1,40})/i.exec(headers['content-type'] ?? '') ?? []
  try {
    return new TextDecoder(label)
  } catch {
    // An unknown charset.
    return new TextDecoder()
  }
}
