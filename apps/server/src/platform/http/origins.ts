import cors from '@fastify/cors'
import { WITHOUT_EFFECT_HEADER } from '@muster/contract/client'
import { AppError } from '@muster/contract/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Config, isLoopbackHost } from '../config/config.ts'
import type { Log } from '../log/log.ts'

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
  WITHOUT_EFFECT_HEADER,
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
export function guardOrigins(fastify: FastifyInstance, { config, log }: { config: Config; log: Log }): void {
  const refused = new RefusedPages(config, log)
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
    if (!isAllowedOrigin(config, request, origin))
      throw new AppError('bad_origin', refused.describe(request, origin))
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

const MAX_LOGGED_PAGES = 20
const MAX_ORIGIN_LENGTH = 300
const ORIGIN = /^https?:\/\/(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])(?::\d{1,5})?$/

/**
 * Pages that are the console itself, at an address that the server does not know: usually a proxy ends TLS, and
 * MUSTER_PUBLIC_URL is missing or another. The setting is named on the page, and once in the log.
 */
class RefusedPages {
  #config: Config
  #log: Log
  #logged = new Set<string>()

  constructor(config: Config, log: Log) {
    this.#config = config
    this.#log = log
  }

  /** Returns the reason for the page. */
  describe(request: FastifyRequest, origin: string): string {
    const { publicUrl } = this.#config
    if (!isOwnPage(request, origin))
      return publicUrl === undefined
        ? 'This page comes from another address than the server. Open the console at its own address; behind a proxy, set MUSTER_PUBLIC_URL to it.'
        : `This page comes from another address than the server. Open the console at ${publicUrl}.`
    this.#write(origin)
    return publicUrl === undefined
      ? `The server does not know the address of this page. Set MUSTER_PUBLIC_URL=${origin} and restart it.`
      : `The address of this console is ${publicUrl} (MUSTER_PUBLIC_URL), not ${origin}. Open it there.`
  }

  #write(origin: string): void {
    if (this.#logged.has(origin) || this.#logged.size >= MAX_LOGGED_PAGES) return
    this.#logged.add(origin)
    this.#log.warn(
      { public_url: this.#config.publicUrl ?? null },
      `refused a page at an address that the server does not know; if it is the console, set MUSTER_PUBLIC_URL=${origin}`,
    )
  }
}

/**
 * Returns true if a page was loaded from the address to which it sends this request, as its browser or the proxy says.
 * Everything else may be a page of another site.
 */
function isOwnPage({ headers }: FastifyRequest, origin: string): boolean {
  if (origin.length > MAX_ORIGIN_LENGTH || !ORIGIN.test(origin)) return false
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const host = origin.replace(/^https?:\/\//, '')
  return host === headers.host || host === headers['x-forwarded-host']
}
