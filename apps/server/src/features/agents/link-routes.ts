import { LINK_PATH } from '@muster/contract/agent/link'
import type { Api } from '../../platform/http/route.ts'
import type { Fleet } from './fleet.ts'

/** The agents' WebSocket. A browser always sends an Origin, an agent never does. */
export function linkRoutes(api: Api, fleet: Fleet): void {
  const summary = 'WebSocket of the agents; docs/protocol.md describes it'
  api.fastify.get(LINK_PATH, { websocket: true, config: { summary } }, (socket, request) => {
    if (request.headers.origin !== undefined) return socket.close(4403, 'not for browsers')
    fleet.links.accept(socket, request.headers['x-muster-agent'], request.ip)
  })
}
