import { type IncomingMessage, request as httpRequest, STATUS_CODES } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { getSystemErrorName } from 'node:util'
import type { OutboundTargets } from '../../../../platform/config/config.ts'
import type { Message } from '../message.ts'
import { kindOfAddress } from '../../../../platform/outbound/address-kind.ts'
import { connectTarget } from '../../../../platform/outbound/connect-target.ts'
import { OutboundError } from '../../../../platform/outbound/outbound-error.ts'

/** A request of a preset. Everything sent over HTTP is one of these. */
export interface WebRequest {
  url: string
  method: 'POST' | 'PUT'
  headers: Record<string, string>
  body: string
}

/** The outcome, and the response of the receiver. */
export interface Outcome {
  ok: boolean
  answer: string
  /** The HTTP status, if the receiver responded. */
  status?: number
  /** Sent without a response, so it may have arrived. */
  unsure?: true
}

const LIMIT_MS = 8000
const MAX_ANSWER_LENGTH = 500
const MAX_BODY_LENGTH = 100_000

/**
 * Sends one request on its own connection, within 8 seconds. Redirects are not followed: they would take the message
 * and its signature to an address that nobody chose. With `whole` the full body is returned, which must not be shown.
 */
export async function sendRequest(
  { url, method, headers, body }: Omit<WebRequest, 'body'> & { body: string | Buffer },
  { targets, whole = false }: { targets: OutboundTargets; whole?: boolean },
): Promise<Outcome & { body?: string }> {
  const { promise, resolve } = Promise.withResolvers<Outcome & { body?: string }>()
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const signal = AbortSignal.timeout(LIMIT_MS)
  const address = new URL(url)
  const isSecure = address.protocol === 'https:'
  const port = address.port === '' ? (isSecure ? 443 : 80) : Number(address.port)
  let isSent = false
  let socket: Socket | undefined
  const fail = (error: unknown) => {
    socket?.destroy()
    const answer = describeConnectError(error, address.host, signal)
    resolve(isSent ? { ok: false, answer, unsure: true } : { ok: false, answer })
  }
  try {
    const receiver = await connectReceiver({ host: address.hostname, port }, { targets, signal })
    const { isPublic } = receiver
    const opened = isSecure ? secure(receiver.socket, address.hostname) : receiver.socket
    socket = opened
    const start = isSecure ? httpsRequest : httpRequest
    const request = start(address, {
      method,
      createConnection: () => opened,
      signal,
      headers: { 'user-agent': 'Muster', ...headers, 'content-length': String(bytes.length) },
    })
    request.once('response', (response) => {
      readAnswer(response, whole ? MAX_BODY_LENGTH : MAX_ANSWER_LENGTH, (text) => {
        const { statusCode: status = 0 } = response
        resolve({ ...judge(response, text, isPublic), status, ...(whole ? { body: text } : {}) })
        request.destroy()
      })
    })
    request.once('finish', () => {
      isSent = true
    })
    request.on('error', fail)
    request.end(bytes)
  } catch (error) {
    // Thrown synchronously for an invalid request, such as a line break in a header.
    fail(error)
  }
  return promise
}

/** Reads the beginning of the body. The status decides, whatever the length or end of the body. */
function readAnswer(response: IncomingMessage, most: number, end: (text: string) => void): void {
  let text = ''
  response.setEncoding('utf8')
  response.on('data', (part: string) => {
    text += part
    if (text.length >= most) end(text.slice(0, most))
  })
  response.once('end', () => end(text))
  response.once('error', () => end(text))
}

/** Adds TLS. Its errors are those of the request. */
function secure(socket: Socket, hostname: string): Socket {
  const host = hostname.replace(/^\[|\]$/g, '')
  const name = isIP(host) === 0 ? { servername: host } : { host }
  return connectTls({ socket, ...name, ALPNProtocols: ['http/1.1'] })
}

type Answer = Pick<IncomingMessage, 'statusCode' | 'statusMessage' | 'headers'>

/** Returns the outcome. For private addresses only the status is shown. */
export function judge(
  { statusCode = 0, statusMessage, headers }: Answer,
  text: string,
  isPublic: boolean,
): Outcome {
  if (!isPublic) return judgePrivate(statusCode)
  const status = `${statusCode} ${statusMessage ?? ''}`.trim()
  const ok = statusCode >= 200 && statusCode < 300
  const { location } = headers
  const said = ok || location === undefined ? text.trim() : `redirects to ${location}, which is not followed`
  return { ok, answer: said === '' ? status : `${status}: ${said.slice(0, MAX_ANSWER_LENGTH)}` }
}

function judgePrivate(statusCode: number): Outcome {
  const ok = statusCode >= 200 && statusCode < 300
  const isRedirect = statusCode >= 300 && statusCode < 400
  return {
    ok,
    answer:
      `${statusCode} ${isRedirect ? 'redirect, not followed' : (STATUS_CODES[statusCode] ?? '')}`.trim(),
  }
}

/** Posts JSON. Only the body differs between presets. */
export function jsonRequest(
  url: string,
  body: unknown,
  { delivery }: Pick<Message, 'delivery'>,
  headers: Record<string, string> = {},
): WebRequest {
  return {
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers, 'muster-delivery': delivery },
    body: JSON.stringify(body),
  }
}

export interface Receiver {
  socket: Socket
  /** Only responses of public addresses are shown: channels must not read services of the server's own network. */
  isPublic: boolean
}

/** Connects to the receiver of a channel. Throws if MUSTER_CHANNEL_TARGETS forbids the address. */
export async function connectReceiver(
  { host, port }: { host: string; port: number },
  { targets, signal }: { targets: OutboundTargets; signal: AbortSignal },
): Promise<Receiver> {
  const bare = host.replace(/^\[|\]$/g, '')
  const aborted = new Promise<never>((_, reject) => {
    // Name servers may take longer than a channel waits.
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  const connecting = connectTarget({
    host: isIP(bare) === 0 ? bare.replace(/\.$/, '') : bare,
    port,
    targets,
    signal,
    setting: 'MUSTER_CHANNEL_TARGETS',
  })
  const socket = await Promise.race([connecting, aborted])
  return { socket, isPublic: kindOfAddress(socket.remoteAddress ?? '') === 'public' }
}

/** Describes a connection error. */
export function describeConnectError(error: unknown, host: string, signal: AbortSignal): string {
  if (signal.aborted) return describeNetworkError(signal.reason, host)
  return error instanceof OutboundError ? error.message : describeNetworkError(error, host)
}

/** Describes why a server was not reached. The caller provides its name. */
export function describeNetworkError(error: unknown, host: string): string {
  if (!(error instanceof Error)) return `${host} could not be reached: ${String(error)}`
  if (error.name === 'TimeoutError') return `${host} did not respond in time.`
  const code = codeOf(error)
  const words = WORDS[code]
  if (words !== undefined) return `${host} ${words} (${code})`
  if (/self.signed/i.test(error.message)) return `${host} has a self-signed certificate (${code})`
  if (/^(CERT|ERR_TLS|UNABLE_TO)/.test(code))
    return `${host} has an untrusted certificate: ${error.message} (${code})`
  if (/wrong version number|packet length too long/i.test(error.message))
    return `${host} does not speak TLS on this port.`
  // Node wraps the errors of several addresses of a host in one without a message.
  const inner = error instanceof AggregateError ? (error.errors as unknown[])[0] : error.cause
  if (error.message === '' && inner !== undefined) return describeNetworkError(inner, host)
  return `${host} could not be reached: ${error.message}${code === '' ? '' : ` (${code})`}`
}

/** Nodemailer replaces the system's code by its own, but keeps the errno. */
function codeOf(error: Error): string {
  if ('errno' in error && typeof error.errno === 'number' && error.errno < 0)
    return getSystemErrorName(error.errno)
  return 'code' in error ? String(error.code) : ''
}

const WORDS: Record<string, string> = {
  ENOTFOUND: 'is unknown to the DNS',
  EAI_NONAME: 'is unknown to the DNS',
  EDNS: 'could not be resolved by the DNS',
  EAI_AGAIN: 'could not be resolved: the DNS does not respond',
  ECONNREFUSED: 'refused the connection: nothing listens there',
  ECONNRESET: 'closed the connection',
  EPIPE: 'closed the connection',
  EHOSTUNREACH: 'is unreachable',
  ENETUNREACH: 'is unreachable: there is no route',
  ETIMEDOUT: 'did not respond in time',
  CERT_HAS_EXPIRED: 'has an expired certificate',
  CERT_NOT_YET_VALID: 'has a certificate that is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a self-signed certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate of an untrusted authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'has a certificate of an untrusted authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'has a certificate of an untrusted authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another name',
}
