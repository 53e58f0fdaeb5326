import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type { Context } from './context.ts'
import { refuseOnServerMachines } from './features/agents/refuse-server-machine.ts'
import { markServerMachine } from './features/installers/server-machine.ts'
import { switchOffWhenHosted } from './features/settings/change-settings.ts'
import { refuseForeignKey } from './features/system/refuse-foreign-key.ts'
import { keyIn, openKeyDesk } from './features/users/api-keys/authenticate-key.ts'
import { authenticate } from './features/users/sessions/authenticate.ts'
import { openSessionCookies } from './features/users/sessions/session-cookies.ts'
import { AGENT_GATE_LIMITS } from './fleet/link-routes.ts'
import { type Modules, openModules } from './modules.ts'
import { type DownloadLimits, DownloadSlots } from './platform/http/download-slots.ts'
import { createIdempotency } from './platform/http/idempotency.ts'
import { openHttp } from './platform/http/open-http.ts'
import type { DescribedRoute } from './platform/http/openapi.ts'
import type { Api } from './platform/http/route.ts'
import { type GateLimits, SignInGate } from './platform/http/sign-in-gate.ts'

const CONSOLE_FOLDER = fileURLToPath(new URL('../../console/dist', import.meta.url))

/** A hello has at most 4 KiB. Anything in the same packet is read with it. */
const CONSOLE_GATE_LIMITS = {
  perSource: 500,
  total: 5000,
  bytes: 128 * 1024,
  bytesPerSource: 16 * 1024 * 1024,
}

/** Node alone has 120 MB. A machine that is refused waits and tries again. */
const DOWNLOAD_LIMITS: DownloadLimits = { perSource: 10, total: 40, idleMs: 60_000 }

export interface App extends Omit<Modules, 'stop'> {
  fastify: FastifyInstance
  api: Api
  routes: readonly DescribedRoute[]
  /** Finishes running requests and closes every connection. New requests get 503 at once. */
  stop: () => Promise<void>
}

/** The whole server; modules.ts is its table of contents. */
export async function createApp(
  ctx: Context,
  options: {
    consoleFolder?: string
    consoleGate?: Partial<GateLimits> | undefined
    agentGate?: Partial<GateLimits> | undefined
    downloads?: Partial<DownloadLimits> | undefined
  } = {},
): Promise<App> {
  await refuseForeignKey(ctx)
  await switchOffWhenHosted(ctx)
  await markServerMachine(ctx)
  const http = await openHttp(ctx, options.consoleFolder ?? CONSOLE_FOLDER)
  const { fastify, metrics, mounted, routes, stop } = http
  const cookies = await openSessionCookies(ctx)
  const callerOfKey = openKeyDesk(ctx, cookies)
  const api: Api = {
    fastify,
    authenticate: (request, reply) =>
      keyIn(request) === undefined ? authenticate(ctx, cookies, { request, reply }) : callerOfKey(request),
    refuseMachines: (caller, endpoint, named) => refuseOnServerMachines(ctx.db, caller, endpoint, named),
    idempotency: createIdempotency(ctx),
    mounted,
    disk: ctx.disk,
    readers: new Map(),
    metrics,
    gate: new SignInGate({ ...CONSOLE_GATE_LIMITS, ...options.consoleGate }),
    agentGate: new SignInGate({ ...AGENT_GATE_LIMITS, ...options.agentGate }),
    downloads: new DownloadSlots({ ...DOWNLOAD_LIMITS, ...options.downloads }),
  }
  const { stop: stopModules, ...modules } = await openModules(api, ctx, { cookies, routes })
  return {
    fastify,
    api,
    ...modules,
    routes,
    stop: () => {
      stopModules()
      return stop()
    },
  }
}
