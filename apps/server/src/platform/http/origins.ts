import cors from '@fastify/cors'
import { AppError } from '@muster/contract/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Config, isLoopbackHost } from '../config/config.ts'

/** Headers of requests that this server reads. Browsers send others without a preflight. */
const REQUEST_HEADERS = [
  'authorization',
  'content-type',
  'idempotency-key',
  'if-none-match',
  'if-range',
  'range',
  'x-api-key',
  'x-muster-shape',
  'x-xsrf-token',
]
/** Headers of responses that pages of other origins could not read otherwise. */
const RESPONSE_HEADERS = [
  'accept-ranges',
  'allow',
  'content-disposition',
  'content-range',
  'etag',
  'repr-digest',
  'retry-after',
  'x-request-id',
]

/** MUSTER_ALLOWED_ORIGINS: pages of these origins may call the API with credentials. Others get no header of CORS. */
export async function allowOrigins(fastify: FastifyInstance, { allowedOrigins }: Config): Promise<void> {
  if (allowedOrigins.length === 0) return
  const options = {
    origin: allowedOrigins,
    credentials: true,
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: REQUEST_HEADERS,
    exposedHeaders: RESPONSE_HEADERS,
    maxAge: 600,
  }
  await fastify.register(cors, {
    delegator: ({ headers }, done) =>
      done(null, allowedOrigins.includes(headers.origin ?? '') ? options : { origin: false }),
  })
}

/** A preflight of a page whose origin is not allowed. The others were answered before. */
export function refusePreflight({ headers }: FastifyRequest): void {
  if (headers.origin === undefined || headers['access-control-request-method'] === undefined) return
  throw new AppError(
    'bad_origin',
    'Pages of this origin may not call this server. Add the origin to MUSTER_ALLOWED_ORIGINS to allow it.',
  )
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Host names end up in generated URLs (install commands), so only plain ones are accepted. */
const HOST = /^[\w.-]+(:\d{1,5})?$|^\[[\da-fA-F:.]+\](:\d{1,5})?$/

/** Pages of other origins may neither write nor open sockets. Agents and scripts send no Origin. */
export function guardOrigins(fastify: FastifyInstance, config: Config): void {
  fastify.addHook('onRequest', async (request) => {
    const { host, origin, upgrade } = request.headers
    // Node takes the first of two, but a proxy may have taken the other.
    const hosts = request.raw.rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'host')
    if (hosts.length > 1) throw new AppError('invalid', 'The request has more than one Host header.')
    if (host !== undefined && !HOST.test(host)) {
      throw new AppError('invalid', 'The Host header is not a valid host name.')
    }
    if (origin === undefined || (SAFE_METHODS.has(request.method) && upgrade === undefined)) return
    if (request.routeOptions.config.anyOrigin === true) return
    if (!isAllowedOrigin(config, request, origin)) {
      throw new AppError(
        'bad_origin',
        'This page comes from another address than the server. Open the console at its own address.',
      )
    }
  })
}

/**
 * Returns true if a browser page of this origin may use the server with a session. The server's own origin is the
 * public URL if set; otherwise it is the requested address, which on a loopback server must be a loopback name (DNS
 * rebinding).
 */
export function isAllowedOrigin(config: Config, request: FastifyRequest, origin: string): boolean {
  if (config.allowedOrigins.includes(origin)) return true
  if (config.publicUrl !== undefined && origin === config.publicUrl) return true
  const own = `${config.tls === undefined ? 'http' : 'https'}://${request.headers.host ?? ''}`
  if (origin !== own || !URL.canParse(own)) return false
  if (config.publicUrl === undefined)
    return !isLoopbackHost(config.host) || isLoopbackHost(new URL(own).hostname)
  return isLoopbackHost(new URL(own).hostname) && isLoopbackHost(config.host)
}
