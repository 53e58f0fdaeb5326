import { Readable } from 'node:stream'
import { AppError } from '@muster/contract/errors'
import type { Endpoint, Output, Parsed } from '@muster/contract/endpoint'
import type { ListQuery } from '@muster/contract/fields'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { type Caller, mayDo } from './caller.ts'
import { describeIssue } from './issue-words.ts'
import type { Idempotency } from './idempotency.ts'
import type { Metrics } from './metrics.ts'
import { pageOf } from './page.ts'

/** The server's API: what `route()` mounts endpoints on. */
export interface Api {
  fastify: FastifyInstance
  /** The caller, or a refusal; `undefined` = nobody is signed in. */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<Caller | undefined>
  idempotency: Idempotency
  /** Every endpoint mounted so far: the OpenAPI description is made of it. */
  mounted: Endpoint[]
  /** Figures for `/metrics`; a feature adds its own. */
  metrics: Metrics
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by route(). */
    endpoint?: Endpoint
    /** What a route that is no endpoint does, for the API's description. */
    summary?: string
  }
}

export interface RouteContext {
  caller: Caller
  request: FastifyRequest
  reply: FastifyReply
}

/** An answer that is JSON text already, of values that the endpoint's schema has seen. */
export class JsonText {
  text: string
  constructor(text: string) {
    this.text = text
  }
}

/** The same for what is too long to be held as one text: its pieces are made while it is sent. Of a GET only. */
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
 * Mounts an endpoint: checks the caller against its access, parses the input, runs the handler, and lets only
 * declared fields out. Handlers of public endpoints receive `NOBODY` as caller.
 */
export function route<E extends Endpoint>(api: Api, endpoint: E, handler: Handler<E>): void {
  api.mounted.push(endpoint)
  api.fastify.route({
    method: endpoint.method,
    url: endpoint.path,
    config: { endpoint },
    ...(endpoint.bodyLimit === undefined ? {} : { bodyLimit: endpoint.bodyLimit }),
    handler: async (request, reply) => {
      const caller = await admit(api, endpoint, { request, reply })
      const input = {
        params: parsePart(endpoint.params, request.params, 'address'),
        query: parsePart(endpoint.query, request.query, 'query'),
        body: parsePart(endpoint.body, request.body, 'body'),
      }
      let pieces: Iterable<string> | undefined
      const answer = async () => {
        // The parts were parsed by the very schemas that Parsed<E> is made of.
        const result = await handler({ ...input, caller, request, reply } as Parsed<E> & RouteContext)
        if (!(result instanceof JsonPieces)) return serialize(endpoint, result, input.query)
        pieces = result.pieces
        return ''
      }
      const text = await api.idempotency(request, endpoint, caller, answer)
      // Answers hold what only their reader may see; an endpoint that wants otherwise has said so.
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

function parsePart(schema: z.ZodType | undefined, value: unknown, part: string): unknown {
  if (schema === undefined) return undefined
  const parsed = schema.safeParse(value ?? {}, { error: describeIssue })
  if (parsed.success) return parsed.data
  const fields: Record<string, string[]> = {}
  for (const issue of parsed.error.issues) (fields[issue.path.join('.')] ??= []).push(issue.message)
  const first = parsed.error.issues[0]
  const where = first === undefined || first.path.length === 0 ? `The ${part}` : `"${first.path.join('.')}"`
  throw new AppError('invalid', `${where} is not valid: ${first?.message ?? 'unreadable'}`, { fields })
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
