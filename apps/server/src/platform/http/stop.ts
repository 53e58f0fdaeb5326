import { setTimeout as setTimeoutPromise } from 'node:timers/promises'
import { AppError } from '@muster/contract/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'

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
export function prepareStop(fastify: FastifyInstance): () => Promise<void> {
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
