import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import cors from '@fastify/cors'
import websocket from '@fastify/websocket'
import { AppError } from '@muster/contract/errors'
import type { Endpoint } from '@muster/contract/endpoint'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import type { Config } from '../config/config.ts'
import { LimitedLog } from '../log/limited-log.ts'
import type { Log } from '../log/log.ts'
import { isPageVisit, serveConsole } from './console-files.ts'
import { createFastify } from './create-fastify.ts'
import { guardOrigins } from './guards.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { answerNotFound } from './not-found.ts'
import { collectRoutes, type DescribedRoute } from './openapi.ts'
import { setSecurityHeaders } from './security-headers.ts'
import { prepareStop } from './stop.ts'

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
