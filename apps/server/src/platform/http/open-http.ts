import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import websocket from '@fastify/websocket'
import { AppError, PROXY_GUIDE_PATH } from '@muster/contract/errors'
import type { Endpoint } from '@muster/contract/endpoint'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import { setTimeout as setTimeoutPromise } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { LimitedLog } from '../log/limited-log.ts'
import type { Log } from '../log/log.ts'
import { isApiAddress, isScreen, methodsAt, pathOf } from './addresses.ts'
import { isPageVisit, serveConsole } from './console-files.ts'
import { createFastify } from './create-fastify.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { collectRoutes, type DescribedRoute } from './openapi.ts'
import { allowOrigins, guardOrigins, refusePreflight } from './origins.ts'
import { setSecurityHeaders } from './security-headers.ts'
import { sendError } from './errors.ts'

const RETRY_AFTER_SECONDS = 5
const CLOSE_EVERY_MS = 50
/** A dead peer never completes the closing handshake. */
const SOCKETS_WITHIN_MS = 2000
/** Shorter than the grace period in main.ts, so that bus and database still close in order. */
const REQUESTS_WITHIN_MS = 5000

/**
 * Returns a function that stops the HTTP server: new requests get 503 at once, sockets close, running requests finish,
 * and then every connection ends. Otherwise the server would wait for connections without a complete request.
 */
function prepareStop(fastify: FastifyInstance): () => Promise<void> {
  let isStopping = false
  let running = 0
  /** Requests whose handler still runs, even for a disconnected peer: it may query the database. */
  const handled = new Set<FastifyRequest>()
  const closeWhenDone = () => {
    if (running === 0) fastify.server.closeAllConnections()
  }
  fastify.addHook('onRequest', async (request, reply) => {
    // A socket is not a request that ends. The WebSocket plugin closes those.
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
    // A handler that waits for a machine could wait for hours. It ends when its connection closes.
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

// `closeTimeout`: a closed socket with a dead peer would delay the stop by 30 seconds.
const SOCKET_OPTIONS = { maxPayload: 16 * 1024 * 1024, closeTimeout: 2000, autoPong: false }
/** A client with more unread data gets no pong, which would only add to it. */
const MAX_UNREAD_BYTES = 64 * 1024
const COMPRESS_FROM_BYTES = 1024
const COMPRESS_AT_ONCE_BYTES = 1024 * 1024

export interface Http {
  fastify: FastifyInstance
  metrics: Metrics
  /** Every route mounted from here on. */
  routes: DescribedRoute[]
  mounted: Endpoint[]
  stop: () => Promise<void>
}

/** The HTTP server with everything that runs before the routes, in order of execution. */
export async function openHttp(
  { config, log }: { config: Config; log: Log },
  consoleFolder: string,
): Promise<Http> {
  const fastify = createFastify({ config, log })
  const mounted: Endpoint[] = []
  setSecurityHeaders(fastify, config)
  // Must come before anything that refuses requests: only later hooks can end the connection of a refused upgrade.
  const brokenSockets = openLimitedLog(fastify, log)
  await fastify.register(websocket, {
    options: SOCKET_OPTIONS,
    // Protocol errors of a client are not errors of the server.
    errorHandler: (error: Error, socket: WebSocket, request: FastifyRequest) => {
      brokenSockets.write(request.ip, { problem: error.message }, 'socket broke the protocol')
      socket.terminate()
    },
  })
  fastify.websocketServer.on('connection', answerPings)
  refusePlainRequests(fastify, log)
  const metrics = createMetrics(fastify)
  // Before every refusal, which pages of these origins may read as well.
  await allowOrigins(fastify, config)
  const stop = prepareStop(fastify)
  guardOrigins(fastify, { config, log })
  await fastify.register(cookie)
  await compressAnswers(fastify)
  const consoleFiles = serveConsole(fastify, consoleFolder)
  const routes = collectRoutes(fastify)
  fastify.get('/docs/', { config: { summary: 'This description of the API, as a page' } }, (request, reply) =>
    consoleFiles.sendApiDocs(request, reply),
  )
  fastify.addHook('onRequest', async (request, reply) => {
    const { endpoint } = request.routeOptions.config
    // The router takes an empty part for a parameter.
    if (!request.is404 && pathOf(request).includes('//')) throw unknownAddress(request)
    if (endpoint === undefined || endpoint.access === 'public' || !isPageVisit(request)) return
    if (isScreen(pathOf(request))) return consoleFiles.sendIndex(request, reply)
  })
  fastify.setNotFoundHandler((request, reply) => {
    const path = pathOf(request)
    // The console has a page for addresses that do not exist.
    if (isPageVisit(request) && (isScreen(path) || !isApiAddress(path, routes)))
      return consoleFiles.sendIndex(request, reply)
    return answerNotFound(routes, request, reply)
  })
  return { fastify, metrics, routes, mounted, stop }
}

/** Levels that balance time and size, because a response is built for one reader. Files are compressed by the build. */
async function compressAnswers(fastify: FastifyInstance): Promise<void> {
  await fastify.register(compress, {
    threshold: COMPRESS_FROM_BYTES,
    // Synchronous: 0.6 ms for 500 machines. A stream takes one turn of the event loop per piece.
    syncThreshold: COMPRESS_AT_ONCE_BYTES,
    encodings: ['zstd', 'br', 'gzip'],
    // Besides those that the plugin knows. Routes of files are excluded by FILE_ROUTE.
    customTypes: /^text\/|[/+](json|javascript|xml)(;|$)|^image\/svg/,
    globalDecompression: false,
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
    zlibOptions: { level: 1 },
  })
}

/** A log that ends with the server. */
function openLimitedLog(fastify: FastifyInstance, log: Log, level?: 'warn'): LimitedLog {
  const limited = new LimitedLog(log, level)
  fastify.addHook('onClose', async () => limited[Symbol.dispose]())
  return limited
}

function answerPings(socket: WebSocket): void {
  socket.on('ping', (data) => {
    if (socket.readyState === socket.OPEN && socket.bufferedAmount <= MAX_UNREAD_BYTES) socket.pong(data)
  })
}

/**
 * A plain request to a WebSocket address is refused before it counts as a waiting socket. The response has no Upgrade
 * header, although RFC 9110, 15.5.22 wants one: nginx passes it on over HTTP/2, where Safari then refuses the response.
 */
function refusePlainRequests(fastify: FastifyInstance, log: Log): void {
  const sockets = new Set<string>()
  const brokenUpgrades = openLimitedLog(fastify, log, 'warn')
  fastify.addHook('onRoute', ({ url, websocket }) => {
    if (websocket === true) sockets.add(url)
  })
  fastify.addHook('preValidation', async (request) => {
    const { url = '' } = request.routeOptions
    if (request.ws || !sockets.has(url)) return
    if (request.headers['sec-websocket-key'] !== undefined)
      brokenUpgrades.write(request.ip, { url }, 'a proxy in front of the server does not pass WebSockets')
    throw new AppError(
      'upgrade_required',
      `This address is a WebSocket, and the request has no upgrade. If a proxy is in front of the server, set it up to pass WebSockets: ${PROXY_GUIDE_PATH}`,
    )
  })
}

/** 405 with `Allow` if the address exists for other methods, else 404. OPTIONS returns the methods. */
function answerNotFound(
  routes: readonly DescribedRoute[],
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  if (request.method === 'OPTIONS') refusePreflight(request)
  const methods = methodsAt(pathOf(request), routes)
  if (methods.length === 0) {
    sendError(request, reply, unknownAddress(request))
    return
  }
  if (request.method === 'OPTIONS') {
    const more = methods.includes('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS']
    void reply
      .status(204)
      .header('allow', [...methods, ...more].join(', '))
      .send()
    return
  }
  reply.header('allow', methods.join(', '))
  const message = `${request.method} is not supported here. Use ${methods.join(' or ')}.`
  sendError(request, reply, new AppError('method_not_allowed', message))
}

function unknownAddress(request: FastifyRequest): AppError {
  const hint = pathOf(request).includes('//') ? ' It has an empty part: "//".' : ''
  return new AppError('not_found', `This address does not exist.${hint}`)
}
