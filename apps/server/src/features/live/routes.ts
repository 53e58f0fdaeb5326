import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { isAllowedOrigin } from '../../platform/http/origins.ts'
import type { Api } from '../../platform/http/route.ts'
import { findCaller } from '../users/sessions/find-caller.ts'
import { redeemTicket } from '../users/sessions/socket-tickets.ts'
import type { AgentRowSource } from './agent-frames.ts'
import { watchCertificate } from './certificate.ts'
import { greetConsole } from './greet-console.ts'
import { LiveHub } from './live-hub.ts'
import { findClientsOfSites } from './queries.ts'
import { createSight } from './sight.ts'

const LIVE_PATH = '/ws/live/'

export interface LiveOptions {
  rows: AgentRowSource
  /** As `/core/version/` answers it. */
  version: string
  mostBufferedBytes?: number
}

/** Mounts the consoles' live socket. The hub knows how many there are: `hub.size`. */
export function liveRoutes(api: Api, ctx: Context, options: LiveOptions): LiveHub {
  const sightOf = async ({ scope }: Caller) =>
    createSight(scope, scope.all ? [] : await findClientsOfSites(ctx.db, scope.siteIds))
  const hub = new LiveHub({
    log: ctx.log,
    now: ctx.now,
    version: options.version,
    rows: options.rows,
    onEvent: ctx.onEvent,
    daysUntilCertExpires: watchCertificate(ctx),
    recheck: async (known) => {
      const caller = await findCaller(ctx, known.session.digest, known.source)
      const session = caller?.session
      if (caller === undefined || session === undefined || session.inGrace || session.totpPending)
        return undefined
      return { caller: { ...caller, session }, sight: await sightOf(caller) }
    },
  })
  api.metrics.gauge('muster_live_consoles', 'Consoles with a live socket to this process', () => hub.size)
  api.fastify.addHook('preClose', () => hub[Symbol.asyncDispose]())
  api.fastify.get(
    LIVE_PATH,
    {
      websocket: true,
      config: { summary: 'WebSocket of the consoles, opened with a ticket; docs/protocol.md describes it' },
      // Asked here as well, so that it holds whatever stands before the routes. Programs send no origin.
      preValidation: async (request) => {
        api.gate.requireRoom(request.ip)
        const { origin } = request.headers
        if (origin === undefined || isAllowedOrigin(ctx.config, request, origin)) return
        throw new AppError('bad_origin', 'Pages of this origin may not use this server.')
      },
    },
    (socket, request) => {
      const onSignedIn = api.gate.enter(socket, request.raw.socket, request.ip)
      greetConsole(socket, {
        hub,
        redeem: async (ticket) => {
          const caller = await redeemTicket(ctx, ticket, request.ip)
          onSignedIn()
          return caller
        },
        sightOf,
        mostBufferedBytes: options.mostBufferedBytes,
      })
    },
  )
  return hub
}
