import type { ErrorBody } from './error-body.ts'
import { ERROR_STATUS, type ErrorCode } from './errors.ts'
import type { Endpoint, Input, Output } from './endpoint.ts'

/** The cookie whose value the console repeats in `X-XSRF-TOKEN`. With HTTPS its name has the prefix `__Host-`. */
export const XSRF_COOKIE = 'muster-xsrf'

/** A call that the server refused or that did not reach it. `status` 0 = no response. */
export class ApiError extends Error {
  override name = 'ApiError'
  status: number
  code: ErrorCode | 'network' | 'timeout' | 'aborted' | 'unreadable'
  fields: Record<string, string[]>
  requestId: string | undefined
  retryAfterSeconds: number | undefined

  constructor(
    message: string,
    more: {
      status: number
      code: ApiError['code']
      fields?: Record<string, string[]> | undefined
      requestId?: string | undefined
      retryAfterSeconds?: number | undefined
      cause?: unknown
    },
  ) {
    super(message, { cause: more.cause })
    this.status = more.status
    this.code = more.code
    this.fields = more.fields ?? {}
    this.requestId = more.requestId
    this.retryAfterSeconds = more.retryAfterSeconds
  }
}

/** The header by which programs get the responses that the contract declares. */
export const SHAPE_HEADER = 'x-muster-shape'
export const OWN_SHAPE = 'own'
/** Names the fields of a body that were accepted but have no effect: reference-fields.ts. */
export const WITHOUT_EFFECT_HEADER = 'x-muster-without-effect'

export interface CallOptions {
  baseUrl: string
  headers: () => Record<string, string>
  timeoutMs?: number
  signal?: AbortSignal | undefined
  fetch?: typeof fetch
}

/** Calls an endpoint with `fetch` and returns its response, which is not validated. Throws `ApiError`. */
export async function callEndpoint<E extends Endpoint>(
  endpoint: E,
  input: Input<E>,
  options: CallOptions,
): Promise<Output<E>> {
  const { response, text } = await sendRequest(endpoint, input as LooseInput, options)
  if (!response.ok) throw readError(response, text)
  // `endpoint.response` has lost its generic type; the server has sent exactly Output<E>.
  if (text === '' && response.status === 204) return null as Output<E>
  return parseJson(text, response) as Output<E>
}

/** The URL of an endpoint with its parameters and query. */
export function endpointUrl(endpoint: Endpoint, input: LooseInput): string {
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(input.params?.[name] ?? ''),
  )
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== null) query.set(name, `${value}`)
  }
  return query.size > 0 ? `${path}?${query.toString()}` : path
}

interface LooseInput {
  params?: Record<string, string | number>
  query?: Record<string, string | number | boolean | null | undefined>
  body?: unknown
}

/** Additional time once a response has started: long lists over slow lines need it. */
const WHOLE_RESPONSE_FACTOR = 10

/** The whole response, which may also break off or stall after its first part. */
async function sendRequest(
  endpoint: Endpoint,
  input: LooseInput,
  options: CallOptions,
): Promise<{ response: Response; text: string }> {
  const timeout = new AbortController()
  const limitMs = options.timeoutMs ?? 30_000
  let timer = setTimeout(() => timeout.abort(), limitMs)
  const signals = options.signal ? [timeout.signal, options.signal] : [timeout.signal]
  try {
    const response = await (options.fetch ?? fetch)(options.baseUrl + endpointUrl(endpoint, input), {
      method: endpoint.method,
      credentials: 'include',
      headers: {
        accept: 'application/json',
        [SHAPE_HEADER]: OWN_SHAPE,
        ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers(),
      },
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      signal: AbortSignal.any(signals),
    })
    clearTimeout(timer)
    timer = setTimeout(() => timeout.abort(), limitMs * WHOLE_RESPONSE_FACTOR)
    return { response, text: await response.text() }
  } catch (cause) {
    if (options.signal?.aborted)
      throw new ApiError('The request was cancelled.', { status: 0, code: 'aborted', cause })
    if (timeout.signal.aborted) {
      throw new ApiError('The server did not respond in time. It may still process the request.', {
        status: 0,
        code: 'timeout',
        cause,
      })
    }
    throw new ApiError('The server cannot be reached.', { status: 0, code: 'network', cause })
  } finally {
    clearTimeout(timer)
  }
}

/** Converts a refused response to an error. */
export function readError(response: Response, text: string): ApiError {
  const requestId = response.headers.get('x-request-id') ?? undefined
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  const retryAfterSeconds = Number.isFinite(retryAfter) ? retryAfter : undefined
  const body = readErrorBody(tryJson(text))
  if (body !== undefined) {
    return new ApiError(body.detail, {
      status: response.status,
      code: body.code,
      fields: body.fields,
      requestId: body.request_id,
      retryAfterSeconds,
    })
  }
  const status = `${response.status} ${response.statusText}`.trim()
  return new ApiError(`The server returned ${status}.`, {
    status: response.status,
    code: 'unreadable',
    requestId,
    retryAfterSeconds,
  })
}

/** Checked by hand: the schema would bring zod into what a browser loads first. */
function readErrorBody(value: unknown): (ErrorBody & { code: ErrorCode }) | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { detail, code, fields, request_id } = value as Partial<Record<keyof ErrorBody, unknown>>
  if (typeof detail !== 'string' || typeof code !== 'string' || typeof request_id !== 'string')
    return undefined
  if (!Object.hasOwn(ERROR_STATUS, code)) return undefined
  // Just checked against the closed list.
  const body = { detail, code: code as ErrorCode, request_id }
  return isFields(fields) ? { ...body, fields } : body
}

function isFields(value: unknown): value is Record<string, string[]> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every(
      (messages) => Array.isArray(messages) && messages.every((message) => typeof message === 'string'),
    )
  )
}

function parseJson(text: string, response: Response): unknown {
  const value = tryJson(text)
  if (value !== undefined) return value
  throw new ApiError('The server sent an invalid response.', {
    status: response.status,
    code: 'unreadable',
  })
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
