import { type IncomingMessage, request as httpRequest, STATUS_CODES } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { OutboundTargets } from '../../../../platform/config/config.ts'
import { connectReceiver, describeConnectError } from './connect-receiver.ts'

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
  { url, method, headers, body }: WebRequest,
  { targets, whole = false }: { targets: OutboundTargets; whole?: boolean },
): Promise<Outcome & { body?: string }> {
  const { promise, resolve } = Promise.withResolvers<Outcome & { body?: string }>()
  const bytes = Buffer.from(body)
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
        resolve({ ...judge(response, text, isPublic), ...(whole ? { body: text } : {}) })
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
