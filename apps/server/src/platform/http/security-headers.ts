import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'

/** For answers that are no pages: nothing may be loaded by them, nobody may frame them. */
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"

/**
 * The console's policy. Scripts come from the server's own files only; styles may be inline because the UI kit
 * writes its variables so; 'self' of connect-src covers the live socket of the same host and port. Trusted Types: text becomes
 * elements or code nowhere but through the one policy of the console's first-paint.js, named there with its reason.
 */
export const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "object-src 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types default',
].join('; ')

/** Pages made by the server itself: no script at all. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export function setSecurityHeaders(fastify: FastifyInstance, config: Config): void {
  // By itself, or by a proxy that stands before it.
  const isHttps = config.tls !== undefined || config.publicUrl?.startsWith('https:') === true
  const headers = {
    'content-security-policy': DATA_POLICY,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    ...(isHttps ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
  fastify.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers)
  })
}
