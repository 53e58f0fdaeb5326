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
