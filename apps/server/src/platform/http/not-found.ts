import type { Endpoint } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendError } from './errors.ts'

/** 405 with `Allow` where the address exists for other methods, 404 otherwise. */
export function answerNotFound(
  mounted: readonly Endpoint[],
  request: FastifyRequest,
  reply: FastifyReply,
): void {
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
