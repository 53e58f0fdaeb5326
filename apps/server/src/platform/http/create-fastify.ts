import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'
import type { Log } from '../log/log.ts'
import { handleErrors } from './errors.ts'

const BODY_LIMIT_BYTES = 1024 * 1024

/** The HTTP server without a route: limits, request ids, reading of bodies, answers to errors. */
export function createFastify({ config, log }: { config: Config; log: Log }): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = log
  const fastify = Fastify({
    loggerInstance,
    disableRequestLogging: true,
    bodyLimit: BODY_LIMIT_BYTES,
    genReqId: () => randomUUID(),
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    ...(config.tls === undefined
      ? {}
      : { https: { cert: readFileSync(config.tls.certFile), key: readFileSync(config.tls.keyFile) } }),
  })
  fastify.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  readBodies(fastify)
  handleErrors(fastify)
  return fastify
}

/** JSON only; a body that is announced as JSON and empty counts as absent, as many clients send it so. */
function readBodies(fastify: FastifyInstance): void {
  const parseJson = fastify.getDefaultJsonParser('error', 'error')
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else void parseJson(request, String(body), done)
  })
}
