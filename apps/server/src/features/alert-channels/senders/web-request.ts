import { type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { describeNetworkError } from './network-words.ts'

/** A request as the presets make it: everything that is sent over HTTP leaves as one of these. */
export interface WebRequest {
  url: string
  method: 'POST' | 'PUT'
  headers: Record<string, string>
  body: string
}

/** How it went, and what the other side said. */
export interface Outcome {
  ok: boolean
  answer: string
  /** It was sent and nothing was heard: it may have arrived. */
  unsure?: true
}

const LIMIT_MS = 8000
const LONGEST_ANSWER = 500
const LONGEST_BODY = 100_000

/**
 * Sends one request on a connection of its own, within 8 seconds. A redirect is not followed but answered: it would
 * take the message, and what signs it, to an address that nobody has chosen. With `whole` the body comes along too.
 */
export async function sendRequest(
  { url, method, headers, body }: WebRequest,
  { whole = false } = {},
): Promise<Outcome & { body?: string }> {
  const { promise, resolve } = Promise.withResolvers<Outcome & { body?: string }>()
  const bytes = Buffer.from(body)
  const signal = AbortSignal.timeout(LIMIT_MS)
  let isSent = false
  const fail = (error: unknown) => {
    const answer = describeNetworkError(error, new URL(url).host)
    resolve(isSent ? { ok: false, answer, unsure: true } : { ok: false, answer })
  }
  try {
    const start = new URL(url).protocol === 'https:' ? httpsRequest : httpRequest
    const request = start(url, {
      method,
      agent: false,
      signal,
      headers: { 'user-agent': 'Muster', ...headers, 'content-length': String(bytes.length) },
    })
    request.once('response', (response) => {
      readAnswer(response, whole ? LONGEST_BODY : LONGEST_ANSWER, (text) => {
        resolve({ ...judge(response, text), ...(whole ? { body: text } : {}) })
        request.destroy()
      })
    })
    request.once('finish', () => {
      isSent = true
    })
    request.on('error', (error) => fail(signal.aborted ? signal.reason : error))
    request.end(bytes)
  } catch (error) {
    // Thrown at once for what can be no request, say a line break in a header.
    fail(error)
  }
  return promise
}

/** The beginning of the body: however much more there is, and whether or not it ends well, the status decides. */
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

function judge({ statusCode = 0, statusMessage, headers }: IncomingMessage, text: string): Outcome {
  const status = `${statusCode} ${statusMessage ?? ''}`.trim()
  const ok = statusCode >= 200 && statusCode < 300
  const { location } = headers
  const said = ok || location === undefined ? text.trim() : `redirects to ${location}, which is not followed`
  return { ok, answer: said === '' ? status : `${status}: ${said.slice(0, LONGEST_ANSWER)}` }
}
