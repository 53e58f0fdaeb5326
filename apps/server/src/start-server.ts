import { isIPv6 } from 'node:net'
import { type App, createApp } from './app.ts'
import { type Context, createContext, type Overrides } from './context.ts'
import { loadStarterSet } from './features/scripts/load-starter-set.ts'
import { keepBuiltInRoles } from './features/users/roles/keep-built-in-roles.ts'
import type { Config } from './platform/config/config.ts'

export interface RunningServer {
  ctx: Context
  app: App
  /** Scheme, host and port. */
  address: string
  /** In order: no new requests (503), sockets closed, running requests finished; then jobs, bus, database and lock. */
  stop: () => Promise<void>
}

/** Length of the accept queue. A reconnecting fleet fills Node's default of 511, and other clients wait up to 15 s. */
const MAX_BACKLOG = 4096

export async function startServer(config: Config, overrides: Overrides = {}): Promise<RunningServer> {
  const ctx = await createContext(config, overrides)
  try {
    const app = await createApp(ctx)
    await loadStarterSet(ctx)
    await keepBuiltInRoles(ctx)
    await ctx.jobs.start()
    await app.fastify.listen({ host: config.host, port: config.port, backlog: MAX_BACKLOG })
    app.fleet.rows.keepFresh()
    const listening = app.fastify.server.address()
    const port = typeof listening === 'object' && listening !== null ? listening.port : config.port
    return {
      ctx,
      app,
      address: originOf(config, config.host, port),
      stop: async () => {
        try {
          await app.stop()
        } finally {
          await ctx[Symbol.asyncDispose]()
        }
      },
    }
  } catch (error) {
    await ctx[Symbol.asyncDispose]()
    throw error
  }
}

function originOf(config: Config, host: string, port: number): string {
  const scheme = config.tls === undefined ? 'http' : 'https'
  return `${scheme}://${isIPv6(host) ? `[${host}]` : host}:${port}`
}
