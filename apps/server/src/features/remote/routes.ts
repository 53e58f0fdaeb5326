import { ChannelHello, channelPath } from '@muster/contract/channels'
import { AppError } from '@muster/contract/errors'
import { AgentId } from '@muster/contract/fields'
import type { Context } from '../../context.ts'
import { isAllowedOrigin } from '../../platform/http/origins.ts'
import type { Api } from '../../platform/http/route.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { SessionCookies } from '../users/sessions/session-cookies.ts'
import { acceptSocket, orClosed } from './accept-socket.ts'
import { ChannelHub } from './channel-hub.ts'
import { openTool } from './open-tool.ts'

/** Channel sockets of consoles: one per window on a tool of a machine. */
export function remoteRoutes(
  api: Api,
  ctx: Context,
  { fleet, cookies }: { fleet: Fleet; cookies: SessionCookies },
): ChannelHub {
  const hub = new ChannelHub(ctx, fleet)
  api.metrics.gauge('muster_channels', 'Windows on tools of machines at this process', () => hub.size)
  api.fastify.addHook('preClose', () => hub[Symbol.asyncDispose]())
  api.fastify.get<{ Params: { agent_id: string } }>(
    channelPath(':agent_id'),
    {
      websocket: true,
      config: {
        summary: 'WebSocket of one tool on a machine, opened with a ticket, described in docs/protocol.md',
      },
      preValidation: async (request) => {
        api.gate.requireRoom(request.ip)
        const { origin } = request.headers
        if (origin !== undefined && !isAllowedOrigin(ctx.config, request, origin)) {
          throw new AppError('bad_origin', 'Pages of this origin may not use this server.')
        }
        if (!AgentId.safeParse(request.params.agent_id).success) {
          throw new AppError('not_found', 'This machine does not exist.')
        }
      },
    },
    (socket, request) => {
      const browser = { source: request.ip, cookie: cookies.find(request) }
      const onSignedIn = api.gate.enter(socket, request.raw.socket, request.ip)
      acceptSocket(socket, ChannelHello, (hello, takeEarly) =>
        hub.run(() =>
          orClosed(
            socket,
            openTool(
              { ctx, fleet, hub },
              { socket, hello, takeEarly, agentId: request.params.agent_id, browser, onSignedIn },
            ),
          ),
        ),
      )
    },
  )
  return hub
}
