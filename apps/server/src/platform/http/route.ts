import { Readable } from 'node:stream'
import { AppError } from '@muster/contract/errors'
import { isPermission } from '@muster/contract/permissions'
import type { Endpoint, Output, Parsed } from '@muster/contract/endpoint'
import { IdParams, type ListQuery } from '@muster/contract/fields'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { OWN_SHAPE, SHAPE_HEADER, WITHOUT_EFFECT_HEADER } from '@muster/contract/client'
import { type Caller, mayDo, refusePending, refuseUnproved } from './caller.ts'
import type { Idempotency } from './idempotency.ts'
import type { Metrics } from './metrics.ts'
import type { DownloadSlots } from './download-slots.ts'
import type { SignInGate } from './sign-in-gate.ts'
import type { DiskSpace } from '../files/disk-space.ts'
import { pageOf } from './page.ts'
import { readBody, readPart, refuseQuery } from './read-input.ts'

/** The target on which `route()` mounts endpoints. */
export interface Api {
  fastify: FastifyInstance
  /** Returns the caller, or undefined without a sign-in. Throws a refusal. */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<Caller | undefined>
  /** Throws if the caller may not do this on a machine that the request names. */
  refuseMachines(caller: Caller, endpoint: Endpoint, named: { params: unknown; body: unknown }): Promise<void>
  idempotency: Idempotency
  /** Every endpoint mounted so far, for the OpenAPI description. */
  mounted: Endpoint[]
  /** The GET handlers by path: they return the object that a PUT of the same path changes. */
  readers: Map<string, (input: ReaderInput) => Promise<unknown>>
  disk: Pick<DiskSpace, 'isLow'>
  /** Metrics for `/metrics`. Features add their own. */
  metrics: Metrics
  /** Console sockets that have not redeemed their ticket yet. */
  gate: SignInGate
  /** The same for the sockets of agents. */
  agentGate: SignInGate
  /** Downloads of programs by anyone. */
  downloads: DownloadSlots
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by route(). */
    endpoint?: Endpoint
    /** Set by route(): keys get another response without X-Muster-Shape. */
    hasReferenceShape?: boolean
    /** For routes that are not endpoints: their summary in the API description. */
    summary?: string
    /** Its address is a secret, and no cookie counts: a page of another origin gains nothing by calling it. */
    anyOrigin?: true
  }
}

type ReaderInput = RouteContext & { params: unknown }

export interface RouteContext {
  caller: Caller
  /** A program expects the reference shape: see `Shapes`. */
  inReferenceShape: boolean
  request: FastifyRequest
  reply: FastifyReply
}

/** A response that is already JSON, built from values that passed the endpoint's schema. */
export class JsonText {
  text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A JSON response too long for one string. Its pieces are generated while sending. GET only. */
export class JsonPieces {
  pieces: Iterable<string>
  constructor(pieces: Iterable<string>) {
    this.pieces = pieces
  }
}

/** A text response that is generated while sending. GET only. */
export class TextPieces {
  type: string
  pieces: AsyncIterable<string>
  constructor(type: string, pieces: AsyncIterable<string>) {
    this.type = type
    this.pieces = pieces
  }
}

type Handler<E extends Endpoint> = (
  input: Parsed<E> & RouteContext,
) => Promise<Output<E> | JsonText | JsonPieces | TextPieces>

/**
 * The response as programs know it that were written for the field's reference. API keys get it, unless they send
 * `X-Muster-Shape: own` as the console and the command line do: docs/decisions/0117-reference-shapes.md.
 */
export interface Shapes<E extends Endpoint> {
  toReference: (response: Output<E>, input: Parsed<E>) => unknown
}

const takesReferenceShape = (caller: Caller, { headers }: FastifyRequest): boolean =>
  caller.apiKey !== undefined && headers[SHAPE_HEADER] !== OWN_SHAPE

/**
 * Mounts an endpoint: checks the caller's access, parses the input, runs the handler, and returns only declared fields.
 * Handlers of public endpoints receive `NOBODY` as caller.
 */
export function route<E extends Endpoint>(
  api: Api,
  endpoint: E,
  handler: Handler<E>,
  shapes?: Shapes<E>,
): void {
  api.mounted.push(endpoint)
  if (endpoint.method === 'GET') api.readers.set(endpoint.path, readerOf(endpoint, handler))
  api.fastify.route({
    method: endpoint.method,
    url: endpoint.path,
    config: { endpoint, hasReferenceShape: shapes !== undefined },
    ...(endpoint.bodyLimit === undefined ? {} : { bodyLimit: endpoint.bodyLimit }),
    handler: async (request, reply) => {
      const caller = await admit(api, endpoint, { request, reply })
      if (api.disk.isLow) refuseChange(endpoint)
      const params = readPart(endpoint.params, request.params, 'address')
      if (endpoint.query === undefined && endpoint.method !== 'GET') refuseQuery(request.query)
      const query = readPart(endpoint.query, request.query, 'query')
      const { body, withoutEffect } = await readBody(endpoint, request.body, () =>
        readCurrent(api, endpoint, { params, caller, inReferenceShape: false, request, reply }),
      )
      await api.refuseMachines(caller, endpoint, { params, body })
      if (withoutEffect.length > 0) reply.header(WITHOUT_EFFECT_HEADER, withoutEffect.join(', '))
      const input = { params, query, body }
      const inReferenceShape = takesReferenceShape(caller, request)
      let stream: JsonPieces | TextPieces | undefined
      const answer = async () => {
        // Parsed by the same schemas that define Parsed<E>.
        const given = { ...input, caller, inReferenceShape, request, reply } as Parsed<E> & RouteContext
        const result = await handler(given)
        if (!isStream(result))
          return serialize(endpoint, result, input.query, async (response) =>
            shapes !== undefined && inReferenceShape
              ? shapes.toReference(response as Output<E>, given)
              : response,
          )
        stream = result
        return ''
      }
      const text = await api.idempotency(request, endpoint, caller, answer)
      // Responses are private to their caller unless the endpoint sets its own header.
      if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
      const type = stream instanceof TextPieces ? stream.type : 'application/json; charset=utf-8'
      return reply.type(type).send(stream === undefined ? text : Readable.from(stream.pieces))
    },
  })
}

function refuseChange({ method, withLowDisk }: Endpoint): void {
  if (method === 'GET' || method === 'DELETE' || withLowDisk === true) return
  throw new AppError(
    'disk_full',
    'The disk of the server is nearly full, so nothing can be changed. Free some space there.',
    { retryAfterSeconds: 60 },
  )
}

/** The caller of public endpoints. */
export const NOBODY: Caller = {
  userId: 0,
  username: '',
  name: null,
  isSuperuser: false,
  permissions: new Set(),
  scope: { all: false, clientIds: [], siteIds: [] },
  session: undefined,
  source: '',
}

async function admit(
  api: Api,
  endpoint: Endpoint,
  { request, reply }: Pick<RouteContext, 'request' | 'reply'>,
): Promise<Caller> {
  if (endpoint.access === 'public') return { ...NOBODY, source: request.ip }
  const caller = await api.authenticate(request, reply)
  if (caller === undefined) throw new AppError('not_signed_in', 'Sign in first.')
  if (endpoint.needsPerson === true && caller.apiKey !== undefined)
    throw new AppError('not_allowed', 'API keys cannot do this. Sign in to the console instead.')
  refuseAccess(endpoint, caller)
  if (endpoint.needsProof === true) refuseUnproved(caller)
  return caller
}

function refuseAccess({ access }: Endpoint, caller: Caller): void {
  const pending = caller.session?.pending
  if (access === 'any-session') return
  if (access === 'password-change' && pending === 'password') return
  if (access === 'totp-setup' && pending === 'totp') return
  refusePending(caller)
  if (!isPermission(access) || mayDo(caller, access)) return
  throw new AppError('not_allowed', `Your role does not allow this (${access}).`)
}

/** Returns the object that a PUT changes, from its GET or from the GET of its list. */
async function readCurrent(api: Api, { path }: Endpoint, input: ReaderInput): Promise<unknown> {
  const reader = api.readers.get(path)
  if (reader !== undefined) return reader(input)
  const list = await api.readers.get(path.replace(/:id\/$/, ''))?.(input)
  const id = IdParams.safeParse(input.params).data?.id
  return Array.isArray(list) ? list.find((entry: { id?: unknown }) => entry.id === id) : undefined
}

/** Returns nothing to a caller who may not read the object. */
function readerOf<E extends Endpoint>(endpoint: E, handler: Handler<E>) {
  return async (input: ReaderInput): Promise<unknown> => {
    const { access } = endpoint
    if (isPermission(access) && !mayDo(input.caller, access)) return undefined
    // The parameters were parsed for another method of the same path.
    const result = await handler({ ...input, query: {} } as unknown as Parsed<E> & RouteContext)
    return isStream(result) ? undefined : (JSON.parse(await serialize(endpoint, result, {})) as unknown)
  }
}

const isStream = (result: unknown): result is JsonPieces | TextPieces =>
  result instanceof JsonPieces || result instanceof TextPieces

async function serialize(
  endpoint: Endpoint,
  result: unknown,
  query: unknown,
  shape = async (response: unknown): Promise<unknown> => response,
): Promise<string> {
  if (result instanceof JsonText) return result.text
  const value = await shape(endpoint.response.parse(result))
  if (endpoint.paged === true && Array.isArray(value)) {
    // Every paged endpoint's query extends ListQuery.
    return JSON.stringify(pageOf(value, (query ?? {}) as ListQuery))
  }
  return JSON.stringify(value)
}

/** Returns a signal that aborts when the client disconnects. Dispose it when the response is sent. */
export function whileConnected({ socket }: IncomingMessage): { signal: AbortSignal } & Disposable {
  const gone = new AbortController()
  const stop = () => gone.abort()
  // The socket outlives the request, because others follow on it.
  socket.once('close', stop)
  return { signal: gone.signal, [Symbol.dispose]: () => void socket.off('close', stop) }
}
