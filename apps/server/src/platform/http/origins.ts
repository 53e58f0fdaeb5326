import type { FastifyRequest } from 'fastify'
import { type Config, isLoopbackHost } from '../config/config.ts'

/**
 * Returns true if a browser page of this origin may use the server with a session. The server's own origin is the
 * public URL if set; otherwise it is the requested address, which on a loopback server must be a loopback name (DNS
 * rebinding).
 */
export function isAllowedOrigin(config: Config, request: FastifyRequest, origin: string): boolean {
  if (config.allowedOrigins.includes(origin)) return true
  if (config.publicUrl !== undefined && origin === config.publicUrl) return true
  const own = `${config.tls === undefined ? 'http' : 'https'}://${request.headers.host ?? ''}`
  if (origin !== own || !URL.canParse(own)) return false
  if (config.publicUrl === undefined)
    return !isLoopbackHost(config.host) || isLoopbackHost(new URL(own).hostname)
  return isLoopbackHost(new URL(own).hostname) && isLoopbackHost(config.host)
}
