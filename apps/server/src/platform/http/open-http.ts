import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import cors from '@fastify/cors'
import websocket from '@fastify/websocket'
import { AppError } from '@muster/contract/errors'
import type { Endpoint } from '@muster/contract/endpoint'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import { setTimeout as setTimeoutPromise } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { LimitedLog } from '../log/limited-log.ts'
import type { Log } from '../log/log.ts'
import { isPageVisit, serveConsole } from './console-files.ts'
import { createFastify } from './create-fastify.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { collectRoutes, type DescribedRoute } from './openapi.ts'
import { setSecurityHeaders } from './security-headers.ts'
import { isAllowedOrigin } from './origins.ts'
import { sendError } from './errors.ts'

const RETRY_AFTER_SECONDS = 5
const CLOSE_EVERY_MS = 50
/** A peer that is gone without a word never answers the closing of its socket. */
const SOCKETS_WITHIN_MS = 2000
/** Below the grace that main.ts gives the whole stop, so that bus and database still close in order. */
const REQUESTS_WITHIN_MS = 5000

/**
 * Answers a function that stops the HTTP server: from its first moment new requests hear 503, sockets close, requests
 * that run are finished, and then every connection ends. Connections on which nothing was asked yet, or only half
 * a request has come, would otherwise be waited for.
 */
function prepareStop(fastify: FastifyInstance): () => Promise<void> {
  let isStopping = false
  let running = 0
  /** Those whose handler still works, also for a peer that is gone: it may ask the database. */
  const handled = new Set<FastifyRequest>()
  const closeWhenDone = () => {
    if (running === 0) fastify.server.closeAllConnections()
  }
  fastify.addHook('onRequest', async (request, reply) => {
    // A socket is no request that ends by itself; the WebSocket plugin closes those.
    if (request.headers.upgrade === undefined) {
      running += 1
      handled.add(request)
      reply.raw.once('close', () => {
        running -= 1
      })
    }
    if (!isStopping) return
    reply.header('connection', 'close')
    throw new AppError('unavailable', 'The server is stopping. Try again in a moment.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  })
  fastify.addHook('onSend', async (request) => {
    handled.delete(request)
  })
  return async () => {
    isStopping = true
    const lastMs = performance.now() + REQUESTS_WITHIN_MS
    const timer = setInterval(closeWhenDone, CLOSE_EVERY_MS)
    const cutOff = setTimeout(() => {
      for (const socket of fastify.websocketServer.clients) socket.terminate()
    }, SOCKETS_WITHIN_MS)
    // Who waits for a machine to answer could wait for hours: the handler ends when its connection does.
    const finish = setTimeout(() => fastify.server.closeAllConnections(), REQUESTS_WITHIN_MS)
    try {
      await fastify.close()
    } finally {
      clearInterval(timer)
      clearTimeout(cutOff)
      clearTimeout(finish)
    }
    while (handled.size > 0 && performance.now() < lastMs) await setTimeoutPromise(CLOSE_EVERY_MS)
  }
}

// `closeTimeout`: a closed socket whose other side is dead would hold up the stopping server for half a minute.
const SOCKET_OPTIONS = { maxPayload: 16 * 1024 * 1024, closeTimeout: 2000, autoPong: false }
/** A client that has more than this unread gets no pong: it would only add to that. */
const MAX_UNREAD_BYTES = 64 * 1024
const COMPRESS_FROM_BYTES = 1024
const COMPRESS_AT_ONCE_BYTES = 1024 * 1024

export interface Http {
  fastify: FastifyInstance
  metrics: Metrics
  /** Every route that is mounted from here on. */
  routes: DescribedRoute[]
  mounted: Endpoint[]
  stop: () => Promise<void>
}

/** The HTTP server with everything that stands before the routes. The order of the lines is that of the work. */
export async function openHttp(
  { config, log }: { config: Config; log: Log },
  consoleFolder: string,
): Promise<Http> {
  const fastify = createFastify({ config, log })
  const mounted: Endpoint[] = []
  setSecurityHeaders(fastify, config)
  // Before whatever may refuse a request: only what comes after it knows to end the connection of a refused upgrade.
  const brokenSockets = new LimitedLog(log)
  await fastify.register(websocket, {
    options: SOCKET_OPTIONS,
    // What a client does wrong on a socket is no fault of the server.
    errorHandler: (error: Error, socket: WebSocket, request: FastifyRequest) => {
      brokenSockets.write(request.ip, { problem: error.message }, 'socket broke the protocol')
      socket.terminate()
    },
  })
  fastify.websocketServer.on('connection', answerPings)
  refusePlainRequests(fastify)
  const metrics = createMetrics(fastify)
  const stop = prepareStop(fastify)
  await allowOrigins(fastify, config)
  guardOrigins(fastify, config)
  await fastify.register(cookie)
  await compressAnswers(fastify)
  const consoleFiles = serveConsole(fastify, consoleFolder)
  fastify.addHook('onRequest', async (request, reply) => {
    const { endpoint } = request.routeOptions.config
    if (endpoint === undefined || endpoint.access === 'public' || !isPageVisit(request)) return
    return consoleFiles.sendIndex(request, reply)
  })
  fastify.setNotFoundHandler((request, reply) => {
    if (isPageVisit(request)) return consoleFiles.sendIndex(request, reply)
    return answerNotFound(mounted, request, reply)
  })
  return { fastify, metrics, routes: collectRoutes(fastify), mounted, stop }
}

/** MUSTER_ALLOWED_ORIGINS: pages of these origins may call the API with credentials. */
async function allowOrigins(fastify: FastifyInstance, config: Config): Promise<void> {
  if (config.allowedOrigins.length === 0) return
  await fastify.register(cors, {
    origin: config.allowedOrigins,
    credentials: true,
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type', 'idempotency-key', 'x-xsrf-token'],
    exposedHeaders: ['allow', 'etag', 'retry-after', 'x-request-id'],
    maxAge: 600,
  })
}

/** At the levels where time and size balance, as answers are made for one reader; files are compressed beforehand. */
async function compressAnswers(fastify: FastifyInstance): Promise<void> {
  await fastify.register(compress, {
    threshold: COMPRESS_FROM_BYTES,
    // In one call: 0.6 ms for 500 machines, where a stream takes as many turns as it has pieces.
    syncThreshold: COMPRESS_AT_ONCE_BYTES,
    encodings: ['zstd', 'br', 'gzip'],
    // Programs and archives are left alone: they are large, and compressed or close to it.
    customTypes: /^text\/|[/+](json|javascript|xml)(;|$)|^image\/svg/,
    globalDecompression: false,
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
    zlibOptions: { level: 1 },
  })
}

function answerPings(socket: WebSocket): void {
  socket.on('ping', (data) => {
    if (socket.readyState === socket.OPEN && socket.bufferedAmount <= MAX_UNREAD_BYTES) socket.pong(data)
  })
}

/** A socket's address that is called without an upgrade answers as everything else does, not with an empty 404. */
function refusePlainRequests(fastify: FastifyInstance): void {
  const sockets = new Set<string>()
  fastify.addHook('onRoute', ({ url, websocket }) => {
    if (websocket === true) sockets.add(url)
  })
  fastify.addHook('preHandler', async (request) => {
    if (request.ws || !sockets.has(request.routeOptions.url ?? '')) return
    throw new AppError('invalid', 'This address is a WebSocket: open it with an upgrade.')
  })
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Host names end up in addresses that the server writes down (install lines), so they are plain. */
const HOST = /^[\w.-]+(:\d{1,5})?$|^\[[\da-fA-F:.]+\](:\d{1,5})?$/

/** Pages of other origins may neither write nor open sockets. Agents and scripts send no Origin at all. */
function guardOrigins(fastify: FastifyInstance, config: Config): void {
  fastify.addHook('onRequest', async (request) => {
    const { host, origin, upgrade } = request.headers
    // Node takes the first of two, and a proxy before it may have taken the other.
    const hosts = request.raw.rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'host')
    if (hosts.length > 1) throw new AppError('invalid', 'The request has more than one Host header.')
    if (host !== undefined && !HOST.test(host)) {
      throw new AppError('invalid', 'The Host header is not a host name.')
    }
    if (origin === undefined || (SAFE_METHODS.has(request.method) && upgrade === undefined)) return
    if (!isAllowedOrigin(config, request, origin)) {
      throw new AppError(
        'bad_origin',
        'This page comes from another address than the server. Open the console at its own address.',
      )
    }
  })
}

/** 405 with `Allow` where the address exists for other methods, 404 otherwise. */
function answerNotFound(mounted: readonly Endpoint[], request: FastifyRequest, reply: FastifyReply): void {
  const path = pathOf(request)
  const methods = mounted.filter((endpoint) => matches(endpoint.path, path)).map(({ method }) => method)
  if (methods.length === 0) {
    sendError(request, reply, new AppError('not_found', 'There is nothing at this address.'))
    return
  }
  reply.header('allow', [...new Set(methods)].join(', '))
  const message = `${request.method} is not possible here; ${[...new Set(methods)].join(', ')} is.`
  sendError(request, reply, new AppError('method_not_allowed', message))
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '/'
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/').filter((part) => part !== '')
  const given = path.split('/').filter((part) => part !== '')
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => part.startsWith(':') || part === given[index])
  )
}
