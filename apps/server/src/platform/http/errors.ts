import type { ErrorBody } from '@muster/contract/error-body'
import { AppError, ERROR_STATUS } from '@muster/contract/errors'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const SQLITE_FULL = 13
const POSTGRES_DISK_FULL = '53100'

/** Sends every refusal as the contract's ErrorBody. Unknown errors are logged and sent as `internal`. */
export function handleErrors(fastify: FastifyInstance): void {
  fastify.setErrorHandler((error: FastifyError | Error, request, reply) => {
    const known = error instanceof AppError ? error : fromFastify(error)
    if (known === undefined) {
      request.log.error({ err: error, method: request.method, url: request.url }, 'request failed')
      sendError(request, reply, reportFault(error))
      return
    }
    sendError(request, reply, known)
  })
}

export function sendError(request: FastifyRequest, reply: FastifyReply, error: AppError): void {
  if (error.retryAfterSeconds !== undefined) {
    reply.header('retry-after', Math.ceil(error.retryAfterSeconds))
  }
  void reply
    .status(ERROR_STATUS[error.code])
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(errorText(error, request.id))
}

export function errorText(error: AppError, requestId: string): string {
  const body: ErrorBody = {
    detail: error.message,
    code: error.code,
    ...(error.fields === undefined ? {} : { fields: error.fields }),
    request_id: requestId,
  }
  return JSON.stringify(body)
}

function reportFault(error: Error): AppError {
  if (isDiskFull(error))
    return new AppError('disk_full', 'The disk of the server is full. Free some space and try again.')
  return new AppError('internal', 'Something went wrong on the server. Its log has the details.')
}

/** As reported by SQLite, PostgreSQL and the operating system. */
function isDiskFull(error: Error): boolean {
  if ('errcode' in error && error.errcode === SQLITE_FULL) return true
  return 'code' in error && (error.code === POSTGRES_DISK_FULL || error.code === 'ENOSPC')
}

function fromFastify(error: FastifyError | Error): AppError | undefined {
  // The response stream failed before any data was sent.
  if ('code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE')
    return new AppError('unavailable', 'The response failed before it started. Try again.')
  const status = 'statusCode' in error ? error.statusCode : undefined
  if (status === 404) return new AppError('not_found', 'This address does not exist.')
  if (status === 413) return new AppError('too_large', 'The request is too large.')
  if (status === 415)
    return new AppError('invalid', 'The body must be JSON (Content-Type: application/json).')
  if (status === 503) return new AppError('unavailable', 'The server is starting or stopping. Try again.')
  if (status !== undefined && status >= 400 && status < 500) {
    return new AppError('invalid', `The request cannot be read: ${error.message}`)
  }
  return undefined
}
