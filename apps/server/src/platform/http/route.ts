import { Readable } from 'node:stream'
import { AppError } from '@muster/contract/errors'
import type { Endpoint, Output, Parsed } from '@muster/contract/endpoint'
import { IdParams, type ListQuery } from '@muster/contract/fields'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { type Caller, mayDo } from './caller.ts'
import type { Idempotency } from './idempotency.ts'
import type { Metrics } from './metrics.ts'
import type { SignInGate } from './sign-in-gate.ts'
import { pageOf } from './page.ts'
import { readBody, readPart, refuseQuery } from './read-input.ts'

/** The target on which `route()` mounts endpoints. */
export interface Api {
  fastify: FastifyInstance
  /** Returns the caller, or undefined without a sign-in. Throws a refusal. */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<Caller | undefined>
  idempotency: Idempotency
  /** Every endpoint mounted so far, for the OpenAPI description. */
  mounted: Endpoint[]
  /** The GET handlers by path: they return the object that a PUT of the same path changes. */
  readers: Map<string, (input: ReaderInput) => Promise<unknown>>
  /** Metrics for `/metrics`. Features add their own. */
  metrics: Metrics
  /** Console sockets that have not redeemed their ticket yet. */
  gate: SignInGate
  /** The same for the sockets of agents. */
  agentGate: SignInGate
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by route(). */
    endpoint?: Endpoint
    /** For routes that are not endpoints: their summary in the API description. */
    summary?: string
  }
}

type ReaderInput = RouteContext & { params: unknown }

export interface RouteContext {
  caller: Caller
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

type Handler<E extends Endpoint> = (
  input: Parsed<E> & RouteContext,
) => Promise<Output<E> | JsonText | JsonPieces>

/**
 * Mounts an endpoint: checks the caller's access, parses the input, runs the handler, and returns only declared fields.
 * Handlers of public endpoints receive `NOBODY` as caller.
 */
export function route<E extends Endpoint>(api: Api, endpoint: E, handler: Handler<E>): void {
  api.mounted.push(endpoint)
  if (endpoint.method === 'GET') api.readers.set(endpoint.path, readerOf(endpoint, handler))
  api.fastify.route({
    method: endpoint.method,
    url: endpoint.path,
    config: { endpoint },
    ...(endpoint.bodyLimit === undefined ? {} : { bodyLimit: endpoint.bodyLimit }),
    handler: async (request, reply) => {
      const caller = await admit(api, endpoint, { request, reply })
      const params = readPart(endpoint.params, request.params, 'address')
      if (endpoint.query === undefined && endpoint.method !== 'GET') refuseQuery(request.query)
      const input = {
        params,
        query: readPart(endpoint.query, request.query, 'query'),
        body: await readBody(endpoint, request.body, () =>
          readCurrent(api, endpoint, { params, caller, request, reply }),
        ),
      }
      let pieces: Iterable<string> | undefined
      const answer = async () => {
        // Parsed by the same schemas that define Parsed<E>.
        const result = await handler({ ...input, caller, request, reply } as Parsed<E> & RouteContext)
        if (!(result instanceof JsonPieces)) return serialize(endpoint, result, input.query)
        pieces = result.pieces
        return ''
      }
      const text = await api.idempotency(request, endpoint, caller, answer)
      // Responses are private to their caller unless the endpoint sets its own header.
      if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
      const body = pieces === undefined ? text : Readable.from(pieces)
      return reply.type('application/json; charset=utf-8').send(body)
    },
  })
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
  if (endpoint.access === 'totp-setup') return caller
  if (caller.session?.totpPending === true) {
    throw new AppError('totp_required', 'Set up two-factor sign-in before anything else.')
  }
  if (endpoint.access !== 'signed-in' && !mayDo(caller, endpoint.access)) {
    throw new AppError('not_allowed', `Your role does not allow this (${endpoint.access}).`)
  }
  return caller
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
    const isForAll = access === 'public' || access === 'signed-in' || access === 'totp-setup'
    if (!isForAll && !mayDo(input.caller, access)) return undefined
    // The parameters were parsed for another method of the same path.
    const result = await handler({ ...input, query: {} } as unknown as Parsed<E> & RouteContext)
    return result instanceof JsonPieces ? undefined : (JSON.parse(serialize(endpoint, result, {})) as unknown)
  }
}

function serialize(endpoint: Endpoint, result: unknown, query: unknown): string {
  if (result instanceof JsonText) return result.text
  const value = endpoint.response.parse(result)
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
