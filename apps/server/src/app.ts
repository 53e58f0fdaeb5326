import cookie from '@fastify/cookie'
import websocket from '@fastify/websocket'
import type { FastifyInstance } from 'fastify'
import type { Context } from './context.ts'
import { authenticate } from './features/sessions/authenticate.ts'
import { openSessionCookies } from './features/sessions/session-cookies.ts'
import { createFastify } from './platform/http/create-fastify.ts'
import { createIdempotency } from './platform/http/idempotency.ts'
import type { Api } from './platform/http/route.ts'

const LARGEST_SOCKET_MESSAGE = 16 * 1024 * 1024

export interface App {
  fastify: FastifyInstance
  api: Api
}

/** The whole API: its table of contents is the list of `xxxRoutes` below. */
export async function createApp(ctx: Context): Promise<App> {
  const fastify = createFastify(ctx)
  await fastify.register(cookie)
  await fastify.register(websocket, { options: { maxPayload: LARGEST_SOCKET_MESSAGE } })
  const cookies = await openSessionCookies(ctx)
  const api: Api = {
    fastify,
    authenticate: (request, reply) => authenticate(ctx, cookies, { request, reply }),
    idempotency: createIdempotency(ctx.db, ctx.now),
    mounted: [],
  }
  return { fastify, api }
}
