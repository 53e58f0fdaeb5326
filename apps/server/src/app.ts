import cookie from '@fastify/cookie'
import websocket from '@fastify/websocket'
import type { FastifyInstance } from 'fastify'
import type { Context } from './context.ts'
import { Fleet } from './features/agents/fleet.ts'
import { linkRoutes } from './features/agents/link-routes.ts'
import { agentsRoutes } from './features/agents/routes.ts'
import { clientsRoutes } from './features/clients/routes.ts'
import { enrolmentRoutes } from './features/enrolment/routes.ts'
import { ServerMachine } from './features/enrolment/server-machine.ts'
import { historyRoutes } from './features/history/routes.ts'
import { liveRoutes } from './features/live/routes.ts'
import { notesRoutes } from './features/notes/routes.ts'
import { scriptsRoutes } from './features/scripts/routes.ts'
import { authenticate } from './features/sessions/authenticate.ts'
import { sessionsRoutes } from './features/sessions/routes.ts'
import { openSessionCookies } from './features/sessions/session-cookies.ts'
import { VERSION } from './platform/config/version.ts'
import { createFastify } from './platform/http/create-fastify.ts'
import { createIdempotency } from './platform/http/idempotency.ts'
import type { Api } from './platform/http/route.ts'

const LARGEST_SOCKET_MESSAGE = 16 * 1024 * 1024

export interface App {
  fastify: FastifyInstance
  api: Api
  fleet: Fleet
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
  const fleet = await Fleet.open(ctx)
  const serverMachine = new ServerMachine(ctx, fastify)
  fastify.addHook('onListen', () => serverMachine.start())
  fastify.addHook('preClose', async () => {
    await serverMachine[Symbol.asyncDispose]()
    await fleet[Symbol.asyncDispose]()
  })
  sessionsRoutes(api, ctx, cookies)
  linkRoutes(api, fleet)
  agentsRoutes(api, ctx, fleet)
  enrolmentRoutes(api, ctx, fleet)
  historyRoutes(api, ctx, fleet)
  clientsRoutes(api, ctx, { monitorServer: (site) => serverMachine.monitor(site) })
  scriptsRoutes(api, ctx)
  notesRoutes(api, ctx)
  liveRoutes(api, ctx, { rows: fleet.rows, version: VERSION })
  return { fastify, api, fleet }
}
