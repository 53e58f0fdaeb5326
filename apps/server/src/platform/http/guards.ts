import { AppError } from '@muster/contract/errors'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'
import { isAllowedOrigin } from './origins.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Host names end up in addresses that the server writes down (install lines), so they are plain. */
const HOST = /^[\w.-]+(:\d{1,5})?$|^\[[\da-fA-F:.]+\](:\d{1,5})?$/

/** Pages of other origins may neither write nor open sockets. Agents and scripts send no Origin at all. */
export function guardOrigins(fastify: FastifyInstance, config: Config): void {
  fastify.addHook('onRequest', async (request) => {
    const { host, origin, upgrade } = request.headers
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

export interface StopSwitch {
  isStopping: boolean
}

/** From the moment that the server is told to stop, new requests hear 503 and are asked to come back. */
export function watchStopping(fastify: FastifyInstance): StopSwitch {
  const state: StopSwitch = { isStopping: false }
  fastify.addHook('onRequest', async (_request, reply) => {
    if (!state.isStopping) return
    reply.header('connection', 'close')
    throw new AppError('unavailable', 'The server is stopping. Try again in a moment.', {
      retryAfterSeconds: 5,
    })
  })
  return state
}
