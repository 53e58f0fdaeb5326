import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import { AppError } from '@muster/contract/errors'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { type Config, ConfigError } from '../config/config.ts'
import type { Log } from '../log/log.ts'
import { tidyAddress } from './addresses.ts'
import { errorText, handleErrors, sendError } from './errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The raw JSON body. */
    bodyText?: string
  }
}

const BODY_LIMIT_BYTES = 1024 * 1024
const MAX_HEADERS_BYTES = 16 * 1024
const HEADERS_WITHIN_MS = 20_000
const REQUEST_WITHIN_MS = 60_000
/** Longer than the minute after which proxies close an idle connection. */
const KEEP_ALIVE_MS = 65_000

/** The HTTP server without routes: limits, request ids, body parsing, error responses. */
export function createFastify({ config, log }: { config: Config; log: Log }): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = log
  const limits = { maxHeaderSize: MAX_HEADERS_BYTES, headersTimeout: HEADERS_WITHIN_MS }
  const fastify = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_WITHIN_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // With a public URL and no TLS, a proxy forwards the client's address.
    trustProxy:
      config.publicUrl !== undefined && config.tls === undefined
        ? ['loopback', ...config.trustedProxies]
        : false,
    rewriteUrl: ({ url }) => tidyAddress(url ?? '/'),
    genReqId: () => randomUUID(),
    forceCloseConnections: 'idle',
    // watchStopping() responds in the contract's format.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    frameworkErrors: (error, request, reply) => {
      const sentence =
        error.code === 'FST_ERR_MAX_PARAM_LENGTH' ? 'is too long in one of its parts' : 'cannot be read'
      sendError(request, reply, new AppError('invalid', `The address ${sentence}.`))
    },
    clientErrorHandler: answerUnreadable,
    ...(config.tls === undefined
      ? { http: limits }
      : {
          https: { ...limits, ...readCertificate(config.tls), minVersion: 'TLSv1.2' },
        }),
  })
  fastify.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  readBodies(fastify)
  handleErrors(fastify)
  return fastify
}

function readCertificate(files: NonNullable<Config['tls']>): { cert: Buffer; key: Buffer } {
  try {
    const pair = { cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) }
    createSecureContext(pair)
    return pair
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigError(`MUSTER_TLS_CERT and MUSTER_TLS_KEY cannot be used: ${reason}`, { cause })
  }
}

/** Parses JSON only. An empty body declared as JSON counts as absent, because many clients send it so. */
function readBodies(fastify: FastifyInstance): void {
  const parseJson = fastify.getDefaultJsonParser('error', 'error')
  fastify.addHook('onRequest', async ({ headers }) => {
    const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity'
    if (encoding === 'identity') return
    throw new AppError(
      'invalid',
      `A compressed body (Content-Encoding: ${encoding.slice(0, 30)}) is not supported. Send it uncompressed.`,
    )
  })
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    request.bodyText = String(body)
    if (body === '') done(null, undefined)
    else void parseJson(request, String(body), done)
  })
}

const CLIENT_ERRORS: Record<string, [line: string, error: AppError]> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    new AppError('too_large', 'The headers of the request are too large.'),
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    '408 Request Timeout',
    new AppError('invalid', 'The request took too long to arrive.'),
  ],
}

/** Requests that are not HTTP never reach a handler and are answered on the bare connection. */
function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const [line, answer] = CLIENT_ERRORS[error.code ?? ''] ?? [
    '400 Bad Request',
    new AppError('invalid', 'The request cannot be read.'),
  ]
  const body = errorText(answer, randomUUID())
  const head = `HTTP/1.1 ${line}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`
  socket.end(head + body)
}
